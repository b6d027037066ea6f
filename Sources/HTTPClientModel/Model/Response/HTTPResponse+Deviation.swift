public import Wire

extension HTTPResponse {
    /// A deviation from RFC 9110 or RFC 9112 that was accepted in a response.
    ///
    /// ``HTTPClientSettings/strictness`` determines which deviations are accepted.
    public struct Deviation: Sendable, Hashable, CustomStringConvertible {
        /// A part of the bytes received for a request.
        @nonexhaustive public enum Part: Sendable, Hashable {
            /// The head at this index of ``HTTPResponse/proxyHeads``.
            case proxyHead(Int)
            /// The head at this index of ``HTTPResponse/informational``.
            case interimHead(Int)
            /// The head of the final response.
            case head
            /// The chunked body, including trailers; recorded only at ``Strictness/forensic``.
            case body
        }

        /// The violated rule.
        public let code: Diagnostic.Code

        /// The affected bytes, counted from the first byte of ``part``.
        ///
        /// Empty if something is missing.
        public let range: Range<Int>

        /// The part of the response that has the deviation.
        public let part: Part

        package init(_ diagnostic: Diagnostic, in part: Part) {
            code = diagnostic.code
            range = diagnostic.range
            self.part = part
        }

        /// The first affected byte, counted from the first byte of ``part``.
        public var offset: Int { range.lowerBound }

        /// One line with the part, the offset, the deviation and the section of the standard.
        ///
        /// For example `head, byte 15: the line ends in LF without CR (RFC 9112 §2.2)`.
        public var description: String { "\(part), byte \(offset): \(code.text) (\(code.rule))" }
    }
}

extension HTTPResponse.Deviation.Part: CustomStringConvertible {
    /// The name of the part in words.
    public var description: String {
        switch self {
        case .proxyHead(let index): "proxy head \(index + 1)"
        case .interimHead(let index): "interim head \(index + 1)"
        case .head: "head"
        case .body: "body"
        }
    }
}

extension HTTPResponse {
    /// The deviations from RFC 9110 and RFC 9112 that were accepted in this response; usually none.
    ///
    /// Heads of interim responses and of a proxy are included. Earlier attempts are not included: see
    /// ``HTTPMetrics/Attempt/deviations``. Each head has at most ``WireLimits/diagnosticCount`` deviations.
    public var deviations: [Deviation] { metrics.deviations }
}
