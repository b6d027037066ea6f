internal import SocketTransport

// To add a timeout, add the setting and its nanoseconds here, and name it in the tables of `HTTPPhase`. The code that
// waits enforces it: `ConnectionPool` and `ConnectionLease` until there is a free connection, `Dialer`, `Dialer+Proxy`
// and `ConnectionPool+Dialer` until a new one is established, `ClientConnection`, `ClientConnection+Upload` and
// `ClientConnection+Pacing` while sending, `Engine` until the head, `ClientConnection+Body` after it, and
// `HTTPDuplexStream` after an upgrade. `TimeoutTests` uses an origin that pauses.

/// The timeouts for each phase of a call, and the ``total`` timeout for all phases.
///
/// Each timeout is a `Duration`; nil means that the phase has no timeout. If a timeout expires, the call
/// fails with ``HTTPError/Kind/timedOut(_:)`` and the phase.
///
/// A timeout of zero or less has expired before its phase begins: the request is not sent, and the call
/// fails with the phase of that timeout. There are these exceptions:
/// - ``resolve``, ``connect``, ``tlsHandshake`` and ``establish`` do not apply to an open connection.
/// - ``requestBody`` does not apply to a request without a body.
/// - ``queue`` does not apply to a call that does not have to wait.
/// - ``continueResponse`` of zero sends the body at once.
public struct HTTPTimeouts: Sendable, Hashable {
    /// The timeout of the whole call, from `send` to the last byte of the body.
    ///
    /// It includes all waiting and every attempt, and all requests of an event stream with the delays between them.
    /// Default nil: the duration of a transfer depends on its size, so by default only stalls are limited.
    public var total: Duration?

    /// The timeout for waiting for a free connection, or for a turn on an ``HTTPDedicatedConnection``.
    ///
    /// Default 30 s: if the pool is full for that long, more waiting makes the congestion worse. Waiting in
    /// an ``HTTPClientQueue`` happens before and does not count: see ``HTTPClientQueue/waitLimit``.
    public var queue: Duration?

    /// The timeout for resolving the host name.
    ///
    /// Default 5 s: enough time for the system's resolver to query a second server.
    public var resolve: Duration?

    /// The timeout for opening the TCP connection, including all addresses.
    ///
    /// Default 10 s: enough time for three lost packets and for a second address. With a proxy, the timeout
    /// applies twice. It limits the connection to the proxy, and it limits the time from the lookup of the
    /// proxy's name until the proxy has connected to the origin.
    public var connect: Duration?

    /// The timeout for the TLS handshake.
    ///
    /// Default 10 s: enough time for three lost packets and for a slow server.
    public var tlsHandshake: Duration?

    /// The timeout for opening a connection for the call: resolving, connecting, proxy and TLS handshakes.
    ///
    /// Default nil: each phase has its own timeout.
    public var establish: Duration?

    /// The timeout for sending the head of the request, once there is a connection.
    ///
    /// Default 60 s: a head usually fits into the system's send buffer, so only a peer that does not read
    /// comes near this time.
    public var requestHead: Duration?

    /// The time that a request with `Expect: 100-continue` waits for a response before it sends the body
    /// (RFC 9110 §10.1.1).
    ///
    /// When it expires, the client sends the body, so this timeout causes no error. Default 1 s: a server
    /// that supports the field responds within a round trip and the time to check the head. For a server
    /// that does not, a longer delay would be wasted. Nil waits without a limit.
    public var continueResponse: Duration?

    /// The timeout for sending the body of the request, from its first byte to its last.
    ///
    /// It also applies after an early response. It includes the time that the program takes to produce a
    /// streamed body. Default nil: the time depends on the size of the body, and ``writeIdle`` limits
    /// stalls.
    public var requestBody: Duration?

    /// The timeout from the last byte of the request to the end of the final response's head.
    ///
    /// 1xx responses do not extend it. Default 60 s: services that compute a response start slowly.
    public var responseHead: Duration?

    /// The timeout between two reads of a body.
    ///
    /// Default 60 s: a peer that is silent for longer is usually gone without having closed the connection.
    /// With zero nothing is sent, because there would be no time to read a body: `.timedOut(.body)`.
    public var readIdle: Duration?

    /// The timeout between two writes that make progress: of the head, the body or an ``HTTPDuplexStream``.
    ///
    /// Default 60 s, as for ``readIdle``. It does not run while a streamed body has nothing to write. With
    /// zero nothing is sent: `.timedOut(.sending)`.
    public var writeIdle: Duration?

    /// The minimum throughput, in both directions together.
    ///
    /// Default nil: any speed is accepted as long as bytes move.
    public var minimumThroughput: Throughput?

    /// Creates the default timeouts.
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

    /// Creates the default timeouts with a timeout for the whole call.
    ///
    /// - Parameter total: the time from `send` to the last byte of the body.
    public init(total: Duration) {
        self.init()
        self.total = total
    }
}

extension HTTPTimeouts {
    /// A minimum number of bytes per time window, from the first byte of the request on.
    ///
    /// Sent and received bytes count, measured above TLS. Time runs while the peer prepares its response, so
    /// the window should be longer than the slowest response takes to begin. Time does not run while the
    /// program reads a streamed body slowly or produces one slowly.
    ///
    /// A call that is too slow fails with ``HTTPError/Kind/timedOut(_:)`` and ``HTTPPhase/throughput``, at the
    /// latest two windows after it became too slow.
    public struct Throughput: Sendable, Hashable {
        /// The number of bytes required in each window; 0 or less requires none.
        public var bytes: Int
        /// The length of a window.
        public var window: Duration

        /// Requires `bytes` in each `window`.
        public init(bytes: Int, in window: Duration) {
            self.bytes = bytes
            self.window = window
        }

        /// Requires a number of bytes per second, measured over `window`.
        ///
        /// - Parameters:
        ///   - bytes: the number of bytes per second; 0 or less requires none.
        ///   - window: default 30 s: long enough to tolerate short interruptions of the network.
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
}

/// The timeouts of a call's phases in nanoseconds, so that computing a deadline is one addition.
///
/// `Int64.max` means no timeout.
package struct PhaseTimeouts: Sendable {
    package let total: Int64
    /// Whether a timeout that begins when a request is sent is zero, so that nothing may be sent.
    ///
    /// If so, ``phaseWithoutTime(hasBody:)`` returns its phase.
    package let forbidsSending: Bool
    package let queue: Int64
    package let resolve: Int64
    package let connect: Int64
    package let establish: Int64
    package let requestHead: Int64
    package let requestBody: Int64
    package let tlsHandshake: Int64
    package let continueResponse: Int64
    package var responseHead: Int64
    package let readIdle: Int64
    package let writeIdle: Int64
    /// The minimum throughput: bytes, and the window in nanoseconds; nil without a minimum.
    package var throughput: (bytes: Int, window: Int64)?

    package init(_ timeouts: HTTPTimeouts) {
        total = Self.nanoseconds(timeouts.total)
        queue = Self.nanoseconds(timeouts.queue)
        resolve = Self.nanoseconds(timeouts.resolve)
        connect = Self.nanoseconds(timeouts.connect)
        establish = Self.nanoseconds(timeouts.establish)
        requestHead = Self.nanoseconds(timeouts.requestHead)
        requestBody = Self.nanoseconds(timeouts.requestBody)
        continueResponse = Self.nanoseconds(timeouts.continueResponse)
        tlsHandshake = Self.nanoseconds(timeouts.tlsHandshake)
        responseHead = Self.nanoseconds(timeouts.responseHead)
        readIdle = Self.nanoseconds(timeouts.readIdle)
        writeIdle = Self.nanoseconds(timeouts.writeIdle)
        forbidsSending =
            requestHead == 0 || requestBody == 0 || responseHead == 0 || readIdle == 0
            || writeIdle == 0
        throughput = timeouts.minimumThroughput.map { minimum in
            (minimum.bytes, Self.nanoseconds(minimum.window))
        }
    }

    /// Returns the first phase that a timeout of zero leaves no time for; nil if the request may be sent.
    package func phaseWithoutTime(hasBody: Bool) -> HTTPPhase? {
        if requestHead == 0 || writeIdle == 0 { return .sending }
        if requestBody == 0, hasBody { return .sendingBody }
        if responseHead == 0 { return .responseHead }
        return readIdle == 0 ? .body : nil
    }

    package static func nanoseconds(_ duration: Duration?) -> Int64 {
        duration.map { Deadline(nanoseconds: 0).advanced(by: $0).nanoseconds } ?? .max
    }
}
