public import Wire

/// A deviation from RFC 9110 or RFC 9112 that was accepted in a response.
///
/// Which ones are accepted is the choice of ``HTTPClient/Settings/strictness``.
public struct HTTPDeviation: Sendable, Hashable, CustomStringConvertible {
    /// A part of what was received for a request.
    @nonexhaustive public enum Part: Sendable, Hashable {
        /// The head at this index of ``HTTPResponse/proxyHeads``.
        case proxyHead(Int)
        /// The head at this index of ``HTTPResponse/informational``.
        case interimHead(Int)
        /// The head of the final response.
        case head
        /// The chunked body, trailers included; at ``Strictness/forensic`` alone.
        case body
    }

    /// The rule that was broken.
    public let code: Diagnostic.Code

    /// The bytes concerned, counted from the first byte of ``part``.
    ///
    /// Empty where something is missing.
    public let range: Range<Int>

    /// The part of the answer it was found in.
    public let part: Part

    init(_ diagnostic: Diagnostic, in part: Part) {
        code = diagnostic.code
        range = diagnostic.range
        self.part = part
    }

    /// The first byte concerned, counted from the first byte of ``part``.
    public var offset: Int { range.lowerBound }

    /// One line with the part, the offset, the deviation and the section of the standard.
    ///
    /// For example `head, byte 15: the line ends in LF without CR (RFC 9112 §2.2)`.
    public var description: String { "\(part), byte \(offset): \(code.text) (\(code.rule))" }
}

extension HTTPDeviation.Part: CustomStringConvertible {
    /// The name of the part, for people.
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
    /// The deviations from RFC 9110 and RFC 9112 that were accepted in this response; mostly none.
    ///
    /// Heads of interim responses and of a proxy are included, earlier attempts are not: see
    /// ``HTTPMetrics/Attempt/deviations``. At most ``WireLimits/diagnosticCount`` for each head.
    public var deviations: [HTTPDeviation] { metrics.deviations }
}

extension HTTPStreamedResponse {
    /// The deviations from RFC 9110 and RFC 9112 that were accepted so far; mostly none.
    ///
    /// Those of the body are complete when it has been read to its end.
    public var deviations: [HTTPDeviation] { metrics.deviations }
}
