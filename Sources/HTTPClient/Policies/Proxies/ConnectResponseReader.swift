package import Wire

/// Reads a proxy's answer to CONNECT (RFC 9110 §9.3.6).
///
/// No I/O: bytes go in, and what is not consumed behind a 2xx head is the origin's. Interim
/// responses are passed over; Content-Length and Transfer-Encoding of a 2xx mean nothing.
package struct ConnectResponseReader: Sendable {
    /// Tells what one call of ``ConnectResponseReader/receive(_:)`` found.
    package struct Step: Sendable, Hashable {
        /// Bytes at the front of the input that are finished with.
        package let consumed: Int
        /// What they were.
        package let outcome: Outcome
    }

    /// Names where the answer stands.
    package enum Outcome: Sendable, Hashable {
        /// Offer more bytes.
        case needMore
        /// The tunnel is open.
        case opened
        /// The proxy refused; if it may be asked again, then on this connection or on another.
        case refused(canReuseConnection: Bool)
    }

    /// Content of a refusal that is kept for the user: enough for a proxy's page.
    package static let maxKeptBytes = 16 << 10
    /// Content of a refusal that is read so that the connection can be used again: dearer to read
    /// than a new connection beyond.
    private static let maxReadBytes = 64 << 10

    /// The head of the final response, once it is there.
    package private(set) var head: ResponseHead?
    /// The first ``maxKeptBytes`` of a refusal's content.
    package private(set) var body: [UInt8] = []
    /// The deviations that were accepted in ``head``.
    package private(set) var diagnostics: [Diagnostic] = []
    private var exchange: MessageExchange
    private var bytes = 0

    package init(to request: RequestHead, limits: WireLimits, strictness: Strictness = .strict) {
        exchange = MessageExchange(request: request, limits: limits, strictness: strictness)
        exchange.requestSent()
    }

    /// Reads up to an outcome.
    ///
    /// - Parameter input: bytes not consumed so far, and those that came since.
    /// - Returns: bytes finished with, and where the answer stands.
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
                return Step(consumed: consumed, outcome: .refused(canReuseConnection: false))
            }
            if case .body(let range) = step.event {
                keep(input.extracting(consumed...).extracting(range))
                bytes += range.count
            }
            consumed += step.consumed
            switch step.event {
            case .needMore: return Step(consumed: consumed, outcome: .needMore)
            case .informational: continue
            case .head(let head, _):
                self.head = head
                diagnostics = exchange.headDiagnostics
            case .body:
                if bytes > Self.maxReadBytes {
                    return Step(consumed: consumed, outcome: .refused(canReuseConnection: false))
                }
            case .end: return Step(consumed: consumed, outcome: ended)
            }
        }
    }

    /// Takes note that the proxy closed.
    ///
    /// - Throws: `.closedBeforeResponse` or `.headTruncated` when there is no head yet.
    package mutating func receiveEndOfStream() throws(WireError) -> Outcome {
        if head != nil { return .refused(canReuseConnection: false) }
        _ = try exchange.receiveEndOfStream()
        return .refused(canReuseConnection: false)
    }

    private var ended: Outcome {
        if exchange.protocolSwitch == .tunnel { return .opened }
        return .refused(canReuseConnection: exchange.closeReason == nil)
    }

    private mutating func keep(_ part: Span<UInt8>) {
        for index in 0..<min(part.count, Self.maxKeptBytes - body.count) {
            body.append(part[index])
        }
    }
}
