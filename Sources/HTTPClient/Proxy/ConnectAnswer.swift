package import Wire

/// Reads a proxy's answer to CONNECT (RFC 9110 §9.3.6).
///
/// No I/O: octets go in, and what is not consumed behind a 2xx head is the origin's. Interim
/// responses are passed over; Content-Length and Transfer-Encoding of a 2xx mean nothing.
package struct ConnectAnswer: Sendable {
    /// Tells what one call of ``ConnectAnswer/receive(_:)`` found.
    package struct Step: Sendable, Hashable {
        /// Octets at the front of the input that are finished with.
        package let consumed: Int
        /// What they were.
        package let outcome: Outcome
    }

    /// Names where the answer stands.
    package enum Outcome: Sendable, Hashable {
        /// Offer more octets.
        case needMore
        /// The tunnel is open.
        case opened
        /// The proxy refused; if it may be asked again, then on this connection or on another.
        case refused(canAskAgainHere: Bool)
    }

    /// Content of a refusal that is kept for the user: enough for a proxy's page.
    package static let keptOctets = 16 << 10
    /// Content of a refusal that is read so that the connection can be used again: dearer to read
    /// than a new connection beyond.
    private static let readOctets = 64 << 10

    /// The head of the final response, once it is there.
    package private(set) var head: ResponseHead?
    /// The first ``keptOctets`` of a refusal's content.
    package private(set) var body: [UInt8] = []
    /// The deviations that were accepted in ``head``.
    package private(set) var diagnostics: [Diagnostic] = []
    private var exchange: MessageExchange
    private var octets = 0

    package init(to request: RequestHead, limits: WireLimits, strictness: Strictness = .strict) {
        exchange = MessageExchange(request: request, limits: limits, strictness: strictness)
        exchange.requestSent()
    }

    /// Reads up to an outcome.
    ///
    /// - Parameter input: octets not consumed so far, and those that came since.
    /// - Returns: octets finished with, and where the answer stands.
    /// - Throws: what is wrong with the answer; a refusal's content cannot be wrong any more once
    ///   its head is there, for then the content only ends earlier.
    package mutating func receive(_ input: Span<UInt8>) throws(WireError) -> Step {
        var consumed = 0
        while true {
            let step: ExchangeStep
            do throws(WireError) {
                step = try exchange.receive(input.extracting(consumed...))
            } catch {
                guard head != nil else { throw error }
                return Step(consumed: consumed, outcome: .refused(canAskAgainHere: false))
            }
            if case .body(let range) = step.event {
                keep(input.extracting(consumed...).extracting(range))
                octets += range.count
            }
            consumed += step.consumed
            switch step.event {
            case .needMore: return Step(consumed: consumed, outcome: .needMore)
            case .informational: continue
            case .head(let head, _):
                self.head = head
                diagnostics = exchange.headDiagnostics
            case .body:
                if octets > Self.readOctets {
                    return Step(consumed: consumed, outcome: .refused(canAskAgainHere: false))
                }
            case .end: return Step(consumed: consumed, outcome: ended)
            }
        }
    }

    /// Takes note that the proxy closed.
    ///
    /// - Throws: `.closedBeforeResponse` or `.headTruncated` when there is no head yet.
    package mutating func receiveEnd() throws(WireError) -> Outcome {
        if head != nil { return .refused(canAskAgainHere: false) }
        _ = try exchange.receiveEnd()
        return .refused(canAskAgainHere: false)
    }

    private var ended: Outcome {
        if exchange.handover == .tunnel { return .opened }
        return .refused(canAskAgainHere: exchange.closeReason == nil)
    }

    private mutating func keep(_ part: Span<UInt8>) {
        for index in 0..<min(part.count, Self.keptOctets - body.count) { body.append(part[index]) }
    }
}
