package import SocketTransport

/// The progress of the content of a request or a response.
///
/// The client reports progress at most about 20 times a second, and once a second for a slow transfer. It always
/// reports the last progress of each direction.
public struct HTTPProgress: Sendable, Hashable {
    /// The direction of a transfer.
    public enum Direction: Sendable, Hashable {
        /// To the server. The bytes are those that the connection has accepted, including chunk framing.
        case upload
        /// From the server. The bytes are those received before content decoding; in a download to a file, the
        /// bytes of the file.
        case download
    }

    /// The direction of the bytes.
    public let direction: Direction

    /// The number of bytes so far, including ``resumedOffset``.
    ///
    /// It decreases when a request is sent again, or when a download starts over.
    public let completed: Int

    /// The total number of bytes; nil if it is not known.
    public let total: Int?

    /// The number of bytes in the file before the call began; 0 unless a download is resumed.
    public let resumedOffset: Int

    /// Whether this is the last progress of its direction.
    ///
    /// A failed call reports it too, even if the call failed before it sent anything. It is reported before the
    /// result. For a successful download to a file, it is reported after the file has its final name.
    public let isFinal: Bool

    init(
        _ direction: Direction,
        completed: Int,
        total: Int?,
        resumedOffset: Int = 0,
        isFinal: Bool = false
    ) {
        self.direction = direction
        self.completed = completed
        self.total = total
        self.resumedOffset = resumedOffset
        self.isFinal = isFinal
    }

    /// Returns the final progress of an upload that sent no bytes; nil if the request has no content.
    static func nothingSent(of request: HTTPRequest, in client: ClientCore) -> HTTPProgress? {
        var request = request
        request.encodeBody(with: client.configuration.settings.coders)
        guard !request.body.isKnownEmpty else { return nil }
        return HTTPProgress(.upload, completed: 0, total: request.body.length, isFinal: true)
    }

    /// The completed fraction, from 0 to 1; nil if ``total`` is not known.
    ///
    /// It is 1 if ``total`` is 0.
    public var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : min(Double(completed) / Double(total), 1)
    }

    /// The completed percentage, from 0 to 100; nil if ``total`` is not known.
    public var percentage: Double? { fraction.map { $0 * 100 } }
}

/// A limit on how often progress is reported.
///
/// It reads no clock: the time is an argument.
package struct ProgressThrottle: Sendable {
    /// The minimum time between two reports, in nanoseconds.
    package static let interval: Int64 = 50_000_000
    /// The number of bytes below which a report waits until ``maxSilence`` has passed.
    package static let bytes = 64 << 10
    /// The maximum time without a report while bytes move, in nanoseconds.
    package static let maxSilence: Int64 = 1_000_000_000

    private struct Report: Sendable {
        let completed: Int
        let time: Deadline
    }

    private var lastReport: Report?

    package init() {}

    /// Returns whether to report `completed` bytes now, and records the report.
    ///
    /// The first number is always reported, and so is a smaller one than before.
    package mutating func shouldReport(_ completed: Int, at now: Deadline) -> Bool {
        if let lastReport, completed >= lastReport.completed {
            let silence = now.nanoseconds - lastReport.time.nanoseconds
            guard completed > lastReport.completed, silence >= Self.interval,
                completed - lastReport.completed >= Self.bytes || silence >= Self.maxSilence
            else { return false }
        }
        lastReport = Report(completed: completed, time: now)
        return true
    }
}
