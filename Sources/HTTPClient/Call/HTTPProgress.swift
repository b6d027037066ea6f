package import SocketTransport

/// Tells how far the content of a request or of a response has come.
///
/// Progress is told about twenty times a second at most, and once a second for a trickle, so that
/// looking at it costs nothing. The last piece of news of each direction is never left out.
public struct HTTPProgress: Sendable, Hashable {
    /// Which way the bytes go.
    public enum Direction: Sendable, Hashable {
        /// To the server: bytes that the connection has taken, as framed.
        case upload
        /// From the server: bytes received, as framed and before content decoding. In a download to
        /// a file, bytes of the file.
        case download
    }

    /// Which way the bytes go.
    public let direction: Direction

    /// Bytes so far, with ``resumedOffset``.
    ///
    /// It falls when a request has to be sent again, or a download begins anew.
    public let completed: Int

    /// Bytes in all; nil when nobody has said so.
    public let total: Int?

    /// Bytes that were there before the call began; 0 unless a download is continued.
    public let resumedOffset: Int

    /// Whether this is the last news of its direction, also of a call that failed, and of one that
    /// failed before anything was sent.
    ///
    /// It comes in front of the result. Of a download to a file that succeeds it comes when the file
    /// has its name.
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

    /// The last news of the upload of a request of which nothing was sent; nil when there is nothing
    /// to send.
    static func nothingSent(of request: HTTPRequest, in client: HTTPClient) -> HTTPProgress? {
        var request = request
        request.encodeBody(with: client.configuration.settings.coders)
        guard !request.body.isKnownEmpty else { return nil }
        return HTTPProgress(.upload, completed: 0, total: request.body.length, isFinal: true)
    }

    /// How much of it is done, from 0 to 1; nil when ``total`` is not known.
    ///
    /// Nothing is all of nothing: 1.
    public var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : min(Double(completed) / Double(total), 1)
    }

    /// How much of it is done, from 0 to 100; nil when ``total`` is not known.
    ///
    /// As ``fraction``.
    public var percentage: Double? { fraction.map { $0 * 100 } }
}

/// Decides which progress is worth telling: not too often, and not for a handful of bytes, but a
/// trickle is lastReport too.
///
/// Pure.
package struct ProgressThrottle: Sendable {
    /// Between two pieces of news.
    package static let interval: Int64 = 50_000_000
    /// Less than this is lastReport only when ``maxSilence`` is over.
    package static let bytes = 64 << 10
    /// How long a trickle goes untold.
    package static let maxSilence: Int64 = 1_000_000_000

    private struct Report: Sendable {
        let completed: Int
        let time: Deadline
    }

    private var lastReport: Report?

    package init() {}

    /// Whether to tell of `completed` bytes at this moment; it is remembered then.
    ///
    /// What comes first is lastReport always, and so is a number that has fallen.
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
