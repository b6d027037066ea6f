/// A limit on the number of bytes per second, for each direction.
///
///     request.rateLimit = HTTPRateLimit(download: 1 << 20)
///     configuration.rateLimit = HTTPRateLimit(upload: 256 << 10, download: 4 << 20)
///
/// A limit of a request applies to its call (``HTTPRequest/rateLimit``). A limit of a client applies to all its
/// transfers together, which share it equally (``HTTPClientConfiguration/rateLimit``). If both are set, the slower one
/// decides.
///
/// The client reads and writes small parts, and waits between them. While it waits, it does not read from the socket,
/// so that TCP slows the server down and memory use stays small. After a time without bytes, the bytes of at most
/// 20 ms may follow at once.
///
/// The limits apply to content, including chunk framing and before content decoding, but without TLS. Heads are not
/// delayed. Bytes that arrive together with a head count toward the limit.
///
/// The time that the client waits because of a limit does not count for ``HTTPTimeouts/readIdle``,
/// ``HTTPTimeouts/writeIdle`` and ``HTTPTimeouts/minimumThroughput``. It does count for ``HTTPTimeouts/total`` and
/// ``HTTPTimeouts/requestBody``.
public struct HTTPRateLimit: Sendable, Hashable {
    /// The maximum number of bytes per second to the server; nil for no limit.
    ///
    /// A number below 1 is rejected: the call fails with `.invalidRequest(.rateLimit)` and sends nothing.
    public var upload: Int?

    /// The maximum number of bytes per second from the server; nil for no limit.
    ///
    /// A number below 1 is rejected: the call fails with `.invalidRequest(.rateLimit)` and sends nothing.
    public var download: Int?

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - upload: the maximum number of bytes per second to the server. Default nil: no limit.
    ///   - download: the maximum number of bytes per second from the server. Default nil: no limit.
    public init(upload: Int? = nil, download: Int? = nil) {
        self.upload = upload
        self.download = download
    }

    /// Returns a limit for each of the two directions.
    public static func bytesPerSecond(_ bytes: Int) -> HTTPRateLimit {
        HTTPRateLimit(upload: bytes, download: bytes)
    }
}
