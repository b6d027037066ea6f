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
        request.encodeBody(for: client)
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
