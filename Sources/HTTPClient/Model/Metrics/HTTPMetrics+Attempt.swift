internal import SocketTransport

extension HTTPMetrics {
    /// Tells of one attempt of a call: of one request on one connection, and how it ended.
    ///
    /// Marks count from the start of the call, not of the attempt; nil means that the step did not
    /// happen. ``interval(of:)`` joins them to the pieces of a waterfall. In the words of others:
    ///
    /// | here | HAR 1.2 | Resource Timing |
    /// |---|---|---|
    /// | interval of `queue` | `blocked` | before `domainLookupStart` |
    /// | interval of `resolve` | `dns` | `domainLookupStart` to `domainLookupEnd` |
    /// | interval of `connect` and `proxyHandshake` | `connect`, without `ssl` | `connectStart` on |
    /// | interval of `tlsHandshake` | `ssl` | `secureConnectionStart` to `connectEnd` |
    /// | `leased` to `sent` | `send` | from `requestStart` |
    /// | `sent` to `firstByte` | `wait` | to `responseStart` |
    /// | `firstByte` to `ended` | `receive` | `responseStart` to `responseEnd` |
    ///
    /// ## Topics
    /// ### How it went
    /// - ``reason``
    /// - ``outcome``
    /// - ``hasResponseBegun``
    /// - ``interval(of:)``
    /// - ``connectAttempts``
    public struct Attempt: Sendable, Hashable {
        /// Says why an attempt was made.
        @nonexhaustive public enum Reason: Sendable, Hashable {
            /// A call begins with one.
            case first
            /// The attempt before lost a connection that had been used before, and nothing of a
            /// response had come (RFC 9112 §9.3.1).
            case lostConnection
            /// A proxy that forwards wanted credentials (407).
            case proxyChallenge
            /// The response before led to another URL (RFC 9110 §15.4).
            case redirect
            /// The server wanted credentials (401).
            case challenge
            /// A validator or an interceptor wanted another try.
            case retry
        }

        /// Says how an attempt ended.
        @nonexhaustive public enum Outcome: Sendable, Hashable {
            /// It has not: the body is still to be read, or nobody read it to its end.
            case inProgress
            /// The whole response was received.
            case complete
            /// Its reused connection was lost before the response began; another attempt followed.
            ///
            /// What allowed that is in ``Attempt/bytesSent``, ``Attempt/hasResponseBegun``,
            /// ``Attempt/isReused`` and the error.
            case lost(HTTPError.Kind)
            /// A proxy asked for credentials; another attempt brought them.
            case challenged
            /// The call ended with this error, in this phase.
            case failed(HTTPError.Kind, in: HTTPPhase)
            /// The connection carries another protocol now.
            case upgraded
        }

        /// The cases of ``Outcome`` without what is rare.
        enum Ending: Sendable, Hashable {
            case inProgress
            case complete
            case challenged
            case upgraded
            /// The rest is in the details.
            case lost
            /// The rest is in the details.
            case failed
        }

        /// Keeps what most attempts have nothing of.
        final class Details: Sendable, Hashable {
            let attempts: [ConnectAttempt]
            let kind: HTTPError.Kind?
            let phase: HTTPPhase
            let deviations: [HTTPDeviation]

            init(
                _ attempts: [ConnectAttempt],
                _ kind: HTTPError.Kind?,
                _ phase: HTTPPhase,
                _ deviations: [HTTPDeviation]
            ) {
                self.attempts = attempts
                self.kind = kind
                self.phase = phase
                self.deviations = deviations
            }

            static func == (left: Details, right: Details) -> Bool {
                left.attempts == right.attempts && left.kind == right.kind
                    && left.phase == right.phase
                    && left.deviations == right.deviations
            }

            func hash(into hasher: inout Hasher) {
                hasher.combine(attempts)
                hasher.combine(kind)
            }
        }

        /// Why it was made.
        public internal(set) var reason = Reason.first
        /// Identifies the connection within its client; 0 when none was leased.
        public internal(set) var connectionID: UInt64 = 0
        /// How many exchanges the connection had carried before this one.
        public internal(set) var priorUses: Int = 0
        /// Bytes of head and body that were sent.
        public internal(set) var bytesSent = 0
        /// Bytes of the request's head, as far as it was sent.
        public var headBytesSent: Int { min(bytesSent, headLength) }
        /// Bytes of the request's content that were sent, with the lines around its chunks.
        public var bodyBytesSent: Int { bytesSent - headBytesSent }
        /// Bytes of heads, framing and coded body that were received.
        public internal(set) var bytesReceived = 0
        /// Bytes of heads that were received whole, interim ones included.
        public internal(set) var headBytesReceived = 0
        /// Bytes of the body as the peer framed it, before content decoding.
        public internal(set) var bodyBytesReceived = 0
        /// Bytes of the body that were delivered, after content decoding.
        public internal(set) var bodyBytesDecoded = 0
        /// What the TLS handshake of the connection settled; nil for plain http.
        ///
        /// Of a handshake that failed it tells how far that came.
        public internal(set) var tls: TLSSessionInfo?

        /// Bytes that had come when the first of them was noticed.
        private var firstRead = 0
        /// Of the request's head, in bytes.
        var headLength = 0
        var ending = Ending.inProgress
        var details: Details?
        /// The start of the call.
        var startMark = Deadline.never
        var beginMark = Deadline.never
        var dequeuedMark = Deadline.never
        var resolvedMark = Deadline.never
        var connectMark = Deadline.never
        var connectedMark = Deadline.never
        var tunneledMark = Deadline.never
        var securedMark = Deadline.never
        var leasedMark = Deadline.never
        /// Only where the body did not go out with the head.
        var headSentMark = Deadline.never
        var sentMark = Deadline.never
        var firstByteMark = Deadline.never
        var headMark = Deadline.never
        var endMark = Deadline.never
        var peer: SocketAddress?
        var local: SocketAddress?

        init() {}

        init(_ reason: Reason, at now: Deadline, in start: Deadline) {
            self.reason = reason
            startMark = start
            beginMark = now
        }

        var hasBegun: Bool { beginMark != .never }

        /// How it ended.
        public var outcome: Outcome {
            switch ending {
            case .inProgress: return .inProgress
            case .complete: return .complete
            case .challenged: return .challenged
            case .upgraded: return .upgraded
            case .lost, .failed:
                guard let details, let kind = details.kind else { return .inProgress }
                return ending == .lost ? .lost(kind) : .failed(kind, in: details.phase)
            }
        }

        /// Whether the connection had carried an exchange before.
        public var isReused: Bool { priorUses > 0 }
        /// Whether a byte of a response had come, of an interim one too.
        public var hasResponseBegun: Bool { firstByteMark != .never }
        /// The peer's address without the port.
        public var remoteAddress: String? { peer?.literal }
        /// The peer's port.
        public var remotePort: Int? { (peer?.port).map { Int($0) } }
        /// Our address without the port.
        public var localAddress: String? { local?.literal }
        /// Our port.
        public var localPort: Int? { (local?.port).map { Int($0) } }

        /// Until the attempt began; zero for the first.
        public var began: Duration { elapsed(beginMark) ?? .zero }
        /// Until a place in the pool was free; nil when one was at once.
        public var dequeued: Duration? { elapsed(dequeuedMark) }
        /// Until the name was resolved.
        public var resolved: Duration? { elapsed(resolvedMark) }
        /// Until TCP was connected.
        public var connected: Duration? { elapsed(connectedMark) }
        /// Until a proxy had opened a tunnel to the origin; the peer's address is the proxy's then.
        public var tunneled: Duration? { elapsed(tunneledMark) }
        /// Until TLS was established.
        public var secured: Duration? { elapsed(securedMark) }
        /// Until a connection was ours.
        public var leased: Duration? { elapsed(leasedMark) }
        /// Until the head was sent; a body that is small goes with it.
        public var headSent: Duration? { elapsed(headSentMark) ?? sent }
        /// Until the request was sent; nil when the answer came before that.
        public var sent: Duration? { elapsed(sentMark) }
        /// Until the first byte of the response.
        public var firstByte: Duration? { elapsed(firstByteMark) }
        /// Until the head of the response was complete.
        public var headReceived: Duration? { elapsed(headMark) }
        /// Until the end of the body, or until the attempt failed.
        public var ended: Duration? { elapsed(endMark) }

        func elapsed(_ mark: Deadline) -> Duration? {
            guard mark != .never, startMark != .never else { return nil }
            return .nanoseconds(mark.nanoseconds - startMark.nanoseconds)
        }

        /// Details that bytes have come.
        mutating func recordReceived(_ bytes: Int) {
            if firstByteMark == .never {
                firstByteMark = .now()
                firstRead = bytes
            }
            bytesReceived += bytes
        }

        /// Details that the head is complete; mostly it came with the first byte.
        mutating func recordHead() {
            headMark = bytesReceived == firstRead ? firstByteMark : .now()
        }
    }
}

// MARK: - Pieces of a waterfall

extension HTTPMetrics.Attempt {
    /// Tells from when until when the attempt was in a phase.
    ///
    /// The phase in which it failed ends with the attempt. ``HTTPPhase/establish`` is all from the
    /// end of queueing until there was a connection, ``HTTPPhase/total`` all of the attempt.
    ///
    /// - Returns: durations from the start of the call; nil for a phase that did not happen, and
    ///   for those that have no place in an attempt.
    public func interval(of phase: HTTPPhase) -> Range<Duration>? {
        let unqueued = dequeuedMark == .never ? beginMark : dequeuedMark
        let way = tunneledMark == .never ? connectedMark : tunneledMark
        let headOut = headSentMark == .never ? sentMark : headSentMark
        switch phase {
        case .queue: return range(beginMark, dequeuedMark, phase)
        case .resolve: return range(unqueued, resolvedMark, phase)
        case .connect: return range(connectMark, connectedMark, phase)
        case .proxyHandshake: return range(connectedMark, tunneledMark, phase)
        case .tlsHandshake: return range(way, securedMark, phase)
        case .establish: return connectMark == .never ? nil : range(unqueued, leasedMark, phase)
        case .sending: return range(leasedMark, headOut, phase)
        case .sendingBody: return range(headSentMark, sentMark, phase)
        case .responseHead: return range(sentMark, headMark, phase)
        case .body: return range(headMark, endMark, phase)
        case .total: return range(beginMark, endMark, phase)
        default: return nil
        }
    }

    private func range(
        _ start: Deadline,
        _ end: Deadline,
        _ phase: HTTPPhase
    ) -> Range<Duration>? {
        let isLast = ending == .failed || ending == .lost
        let end = end == .never && isLast && details?.phase == phase ? endMark : end
        guard let from = elapsed(start), let to = elapsed(end) else { return nil }
        return from..<max(from, to)
    }
}

// MARK: - Taking notes

extension HTTPMetrics.Attempt {
    /// Every address that was tried, in the order of trying; empty when the connection was open
    /// already.
    ///
    /// With a proxy they are the proxy's.
    public var connectAttempts: [HTTPMetrics.ConnectAttempt] {
        if let details, !details.attempts.isEmpty { return details.attempts }
        return onlyAttempt.map { [$0] } ?? []
    }

    /// The only try of most attempts, made of the marks.
    private var onlyAttempt: HTTPMetrics.ConnectAttempt? {
        guard let start = elapsed(connectMark), let end = elapsed(connectedMark) else { return nil }
        return HTTPMetrics.ConnectAttempt(
            address: peer?.description ?? "unix",
            start: start,
            end: end,
            outcome: .connected
        )
    }

    /// Details what the attempt is made on.
    mutating func record(_ connection: Connection) {
        connectionID = connection.id
        priorUses = connection.uses
        peer = connection.socket.peerAddress
        local = connection.local
        tls = connection.tls
    }

    /// Details what became of connecting once; a sole success needs no memory of its own.
    mutating func record(_ attempts: [ConnectAttempt]) {
        let before = connectAttempts
        if let won = attempts.first(where: { $0.outcome == .connected }) {
            connectedMark = won.end
            peer = won.address
        }
        guard let first = attempts.min(by: { $0.start < $1.start }) else { return }
        if connectMark == .never { connectMark = first.start }
        guard before.count + attempts.count > 1 || first.outcome != .connected else { return }
        let new = attempts.sorted { $0.start < $1.start }.map { entry in
            HTTPMetrics.ConnectAttempt(entry, from: startMark)
        }
        details = Details(before + new, details?.kind, details?.phase ?? .connect, deviations)
    }

    /// Details that no name of an address came of `start` but a failure.
    mutating func record(_ failure: FailedAddress, since start: Deadline, at now: Deadline) {
        if connectMark == .never { connectMark = start }
        guard let from = elapsed(start), let to = elapsed(now) else { return }
        let entry = HTTPMetrics.ConnectAttempt(
            address: failure.address,
            start: from,
            end: to,
            outcome: .failed(failure)
        )
        details = Details(
            connectAttempts + [entry],
            details?.kind,
            details?.phase ?? .connect,
            deviations
        )
    }

    /// Details what ended the attempt early.
    mutating func fail(_ kind: HTTPError.Kind, in phase: HTTPPhase, at now: Deadline) {
        endMark = now
        ending = .failed
        details = Details(details?.attempts ?? [], kind, phase, deviations)
    }

    /// Details deviations that were accepted, behind those noted before.
    mutating func record(_ deviations: [HTTPDeviation]) {
        details = Details(
            details?.attempts ?? [],
            details?.kind,
            details?.phase ?? .connect,
            self.deviations + deviations
        )
    }

    /// The deviations from RFC 9110 and RFC 9112 that were accepted in what the attempt received.
    public var deviations: [HTTPDeviation] { details?.deviations ?? [] }
}

extension HTTPMetrics {
    /// Tells what became of one address that was tried (RFC 8305 §5).
    public struct ConnectAttempt: Sendable, Hashable {
        /// Says how a try ended.
        @nonexhaustive public enum Outcome: Sendable, Hashable {
            /// It won.
            case connected
            /// It failed, or the time for connecting was over.
            case failed(FailedAddress)
            /// Another address answered first, or the call was cancelled.
            case abandoned
        }

        /// Address and port, such as `127.0.0.1:80`; a unix domain socket's name, where it failed,
        /// else `unix`.
        public let address: String
        /// From the start of the call until the try began.
        public let start: Duration
        /// From the start of the call until the try ended.
        public let end: Duration
        /// How it ended.
        public let outcome: Outcome

        init(address: String, start: Duration, end: Duration, outcome: Outcome) {
            self.address = address
            self.start = start
            self.end = end
            self.outcome = outcome
        }

        init(_ entry: SocketTransport.ConnectAttempt, from callStart: Deadline) {
            address = entry.address.description
            start = .nanoseconds(entry.start.nanoseconds - callStart.nanoseconds)
            end = .nanoseconds(entry.end.nanoseconds - callStart.nanoseconds)
            switch entry.outcome {
            case .connected: outcome = .connected
            case .failed(let errno, _):
                outcome = .failed(FailedAddress(errno, at: entry.address.description))
            case .abandoned: outcome = .abandoned
            }
        }
    }
}
