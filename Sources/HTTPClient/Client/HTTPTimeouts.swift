/// Bounds each phase of a call; what is not bounded by its phase is bounded by ``total``.
///
/// Every field is a `Duration`; nil means that the phase has no bound of its own. A passed bound is
/// ``HTTPError/Kind/timedOut(_:)`` with the phase.
public struct HTTPTimeouts: Sendable, Hashable {
    /// The whole call, from `send` to the last octet of the body.
    ///
    /// Default nil: how long a transfer may take depends on its size, so only stalls are bounded
    /// unless you say otherwise.
    public var total: Duration?

    /// Waiting for a connection when all are in use.
    ///
    /// Default 30 s.
    public var queue: Duration?

    /// Resolving the host name.
    ///
    /// Default 5 s.
    public var resolve: Duration?

    /// Opening the TCP connection, all addresses together; with a proxy, until it has opened the
    /// way to the origin.
    ///
    /// Default 10 s.
    public var connect: Duration?

    /// The TLS handshake.
    ///
    /// Default 10 s.
    public var tlsHandshake: Duration?

    /// From the last octet of the request to the head of the response.
    ///
    /// Default 60 s: services that compute an answer are slow to begin.
    public var responseHead: Duration?

    /// Between two reads of a body.
    ///
    /// Default 60 s.
    public var readIdle: Duration?

    /// Between two writes that made progress.
    ///
    /// Default 60 s.
    public var writeIdle: Duration?

    /// Makes the default bounds.
    public init() {
        total = nil
        queue = .seconds(30)
        resolve = .seconds(5)
        connect = .seconds(10)
        tlsHandshake = .seconds(10)
        responseHead = .seconds(60)
        readIdle = .seconds(60)
        writeIdle = .seconds(60)
    }

    /// Makes the default bounds with a bound for the whole call.
    ///
    /// - Parameter total: from `send` to the last octet of the body.
    public init(total: Duration) {
        self.init()
        self.total = total
    }
}
