package import Wire

/// A parser of a proxy's response to CONNECT (RFC 9110 §9.3.6).
///
/// The parser performs no I/O: the caller passes the bytes. Unconsumed bytes after a 2xx head belong to
/// the origin. Interim responses are skipped. Content-Length and Transfer-Encoding of a 2xx have no
/// meaning.
package struct ConnectResponseReader: Sendable {
    /// The result of one call of ``ConnectResponseReader/receive(_:)``.
    package struct Step: Sendable, Hashable {
        /// The number of bytes consumed at the front of the input.
        package let consumed: Int
        /// The state of the response after these bytes.
        package let outcome: Outcome
    }

    /// The state of the response.
    package enum Outcome: Sendable, Hashable {
        /// The parser needs more bytes.
        case needMore
        /// The tunnel is open.
        case opened
        /// The proxy refused; `canReuseConnection` decides whether a new CONNECT can use this connection.
        case refused(canReuseConnection: Bool)
    }

    /// The number of bytes of a refusal's content that are kept: enough for a proxy's error page.
    package static let maxKeptBytes = 16 << 10
    /// The number of bytes of a refusal's content that are read to reuse the connection.
    ///
    /// Reading more costs more than a new connection.
    private static let maxReadBytes = 64 << 10

    /// The head of the final response; nil until it is complete.
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

    /// Parses input up to an outcome.
    ///
    /// - Parameter input: the bytes not consumed so far, and those received since.
    /// - Returns: the number of consumed bytes, and the state of the response.
    /// - Throws: the error in the response. There are none after the head of a refusal: malformed content
    ///   only ends earlier.
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

    /// Records that the proxy closed the connection.
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
