/// Bounds each phase of a call; what is not bounded by its phase is bounded by ``total``.
///
/// Every field is a `Duration`; nil means that the phase has no bound of its own. A passed bound is
/// ``HTTPError/Kind/timedOut(_:)`` with the phase.
///
/// A timeout of zero or less has passed before its phase begins: the request is not sent, and the call fails with
/// the phase of that timeout. The exceptions are ``resolve``, ``connect``, ``tlsHandshake`` and ``establish``, which
/// do not concern a connection that is open; ``requestBody``, which does not concern a request without a body;
/// ``queue``, which does not concern a call that need not wait; and ``continueResponse``: zero sends the body at once.
public struct HTTPTimeouts: Sendable, Hashable {
    /// The whole call, from `send` to the last byte of the body, with all waiting and every attempt.
    ///
    /// Default nil: how long a transfer may take depends on its size, so only stalls are bounded
    /// unless you say otherwise.
    public var total: Duration?

    /// Waiting for a connection when all are in use, or for one's turn on an ``HTTPDedicatedConnection``.
    ///
    /// Default 30 s: when the pool is full for so long, waiting longer makes it fuller. Waiting for
    /// the turn in an ``HTTPClientQueue`` comes before and does not count: see
    /// ``HTTPClientQueue/waitLimit``.
    public var queue: Duration?

    /// Resolving the host name.
    ///
    /// Default 5 s: by then the system's resolver has asked a second server.
    public var resolve: Duration?

    /// Opening the TCP connection, all addresses together.
    ///
    /// Through a proxy it counts twice: to the proxy, and from when its name is looked up until it has
    /// opened the way to the origin. Default 10 s: time for three lost packets and for a second address.
    public var connect: Duration?

    /// The TLS handshake.
    ///
    /// Default 10 s: time for three lost packets, and for a server that reckons slowly.
    public var tlsHandshake: Duration?

    /// Resolving, connecting and the TLS handshake together, with whatever a proxy wants, from when a
    /// connection begins to be opened for the call.
    ///
    /// Default nil: each has its own bound.
    public var establish: Duration?

    /// Sending the head of the request, once there is a connection.
    ///
    /// Default 60 s: a head mostly fits into the system's buffer, so only a peer that does not read
    /// comes near it.
    public var requestHead: Duration?

    /// How long a request with `Expect: 100-continue` keeps its body back for an answer (RFC 9110
    /// §10.1.1); then the body is sent all the same, so this bound is no error.
    ///
    /// Default 1 s: a server that knows the field answers within a round trip and a look at the head,
    /// and with one that does not, nobody wants to lose more. nil waits for as long as it takes.
    public var continueResponse: Duration?

    /// Sending the body of the request, from its first byte to its last, also behind an answer that
    /// comes early.
    ///
    /// Default nil: how long it may take depends on its size; ``writeIdle`` bounds stalls. The time
    /// that the program takes to make a streamed body counts.
    public var requestBody: Duration?

    /// From the last byte of the request to the end of the head of the final response; 1xx responses
    /// do not prolong it.
    ///
    /// Default 60 s: services that compute an answer are slow to begin.
    public var responseHead: Duration?

    /// Between two reads of a body.
    ///
    /// Default 60 s: a peer that is silent for longer has mostly gone without saying so. With zero nothing is sent,
    /// as there would be no time to read a body: `.timedOut(.body)`.
    public var readIdle: Duration?

    /// Between two writes that made progress, of the head, the body or an ``HTTPDuplexStream``.
    ///
    /// Default 60 s, as for ``readIdle``. It does not run while a streamed body has nothing to write. With zero
    /// nothing is sent: `.timedOut(.sending)`.
    public var writeIdle: Duration?

    /// How fast bytes must move, in both directions together.
    ///
    /// Default nil: any speed will do as long as bytes move at all.
    public var minimumThroughput: HTTPThroughput?

    /// Makes the default bounds.
    public init() {
        total = nil
        queue = .seconds(30)
        resolve = .seconds(5)
        connect = .seconds(10)
        tlsHandshake = .seconds(10)
        establish = nil
        requestHead = .seconds(60)
        continueResponse = .seconds(1)
        requestBody = nil
        responseHead = .seconds(60)
        readIdle = .seconds(60)
        writeIdle = .seconds(60)
        minimumThroughput = nil
    }

    /// Makes the default bounds with a bound for the whole call.
    ///
    /// - Parameter total: from `send` to the last byte of the body.
    public init(total: Duration) {
        self.init()
        self.total = total
    }
}

/// Says how many bytes must move in how much time, from the first byte of the request on.
///
/// What is sent and what is received counts, as it is on the wire before TLS. Time runs while the peer
/// thinks, so the window should be longer than the slowest answer takes to begin; it does not run while
/// the program takes its time with reading a streamed body, or with making one. A call that is too slow ends with
/// ``HTTPError/Kind/timedOut(_:)`` and ``HTTPPhase/throughput``, at the latest two windows after it has
/// become so.
public struct HTTPThroughput: Sendable, Hashable {
    /// Bytes that must move in each window; 0 or less asks for none.
    public var bytes: Int
    /// How long a window is.
    public var window: Duration

    /// Wants `bytes` in each `window`.
    public init(bytes: Int, in window: Duration) {
        self.bytes = bytes
        self.window = window
    }

    /// Wants so many bytes a second, measured over `window`.
    ///
    /// - Parameters:
    ///   - bytes: bytes in a second; 0 or less asks for none.
    ///   - window: default 30 s: long enough to outlast a hiccup of the network.
    public init(bytesPerSecond bytes: Int, over window: Duration = .seconds(30)) {
        let (seconds, attoseconds) = window.components
        let bytes = max(bytes, 0)
        let whole = bytes.multipliedReportingOverflow(by: Int(max(seconds, 0)))
        let part = Double(bytes) * Double(max(attoseconds, 0)) / 1e18
        let sum = whole.partialValue.addingReportingOverflow(Int(min(part, 1e18)))
        self.bytes = whole.overflow || sum.overflow ? .max : sum.partialValue
        self.window = window
    }
}
