public import Wire

/// All interpretations of the framing fields of a head.
///
/// `BodyFraming` returns one result or an error. If two recipients of a message disagree about
/// its end, an attacker can make one of them read body bytes as a second message. This type lists
/// the possible interpretations, so that a tool can show them, or choose one and decode with it.
public struct FramingAnalysis: Sendable, Hashable {
    /// The decision that RFC 9112 §6.3 requires of a recipient.
    public let expected: Decision
    /// The decision of `BodyFraming`: as expected, or a rejection where the standard leaves a
    /// choice.
    public let applied: Decision
    /// The rule of RFC 9112 §6.3 that decides, 1 to 8.
    public let rule: Int
    /// The framing that each kind of recipient finds in the fields, regardless of rules 1 and 2.
    ///
    /// In the order of ``Parser``. A parser that finds no field to read is omitted. The last one,
    /// `.neither`, is therefore always present.
    public let interpretations: [Interpretation]
    /// All deviations in the framing fields, with their positions if they are part of a received
    /// head.
    public let diagnostics: [Diagnostic]

    /// The decision about the body.
    public enum Decision: Sendable, Hashable, CustomStringConvertible {
        /// The body has this framing.
        case framing(BodyFraming)
        /// The message must be rejected and the connection closed.
        case rejection(WireError)

        /// The framing, or the error of the rejection.
        public var description: String {
            switch self {
            case .framing(let framing): "\(framing)"
            case .rejection(let error): "rejection: \(error)"
            }
        }
    }

    /// A kind of recipient.
    public enum Parser: Sendable, Hashable, CaseIterable {
        /// Prefers Transfer-Encoding, and reads chunks if chunked is the last coding.
        case transferEncoding
        /// Uses only the first Content-Length that is a number.
        case firstContentLength
        /// Uses only the last Content-Length that is a number.
        case lastContentLength
        /// Uses the leading digits of the first Content-Length, after an optional sign, as
        /// `strtoll` does.
        ///
        /// The maximum is 2^63 - 1.
        case leadingDigits
        /// Knows neither field.
        case neither
    }

    /// The framing that one kind of recipient finds.
    public struct Interpretation: Sendable, Hashable {
        /// The kind of recipient.
        public let parser: Parser
        /// The framing that it finds.
        public let framing: BodyFraming
    }

    /// Whether recipients that support the framing fields may disagree about the end of the body.
    ///
    /// `.neither` does not count, because a recipient of HTTP/1.1 supports both fields.
    public var isAmbiguous: Bool {
        Set(interpretations.filter { $0.parser != .neither }.map(\.framing)).count > 1
    }

    /// Analyzes the head of a request.
    ///
    /// - Parameters:
    ///   - version: the declared version.
    ///   - headers: the fields as received, including repeated ones.
    /// - Returns: the analysis, which exists for every head.
    public static func ofRequest(version: HTTPVersion, headers: HTTPHeaders) -> FramingAnalysis {
        var applied: Decision
        do {
            applied = .framing(try BodyFraming.ofRequest(version: version, headers: headers))
        } catch {
            applied = .rejection(error)
        }
        let fields = FramingFields(headers, version)
        var expected = applied
        if fields.hasTransferEncoding {
            expected = fields.transferEncodingDecision(otherwise: .rejection(.chunkedNotLast))
        }
        return FramingAnalysis(
            expected: expected,
            applied: applied,
            rule: fields.rule(otherwise: 7),
            interpretations: fields.interpretations(otherwise: .noBody),
            diagnostics: fields.diagnostics
        )
    }

    /// Analyzes the head of a response.
    ///
    /// - Parameters:
    ///   - method: the request method.
    ///   - status: the response status.
    ///   - version: the version that the response declares.
    ///   - headers: the response fields as received, including repeated ones.
    /// - Returns: the analysis, which exists for every head.
    public static func ofResponse(
        to method: HTTPMethod,
        status: HTTPStatus,
        version: HTTPVersion,
        headers: HTTPHeaders
    ) -> FramingAnalysis {
        var applied: Decision
        do {
            applied = .framing(
                try BodyFraming.ofResponse(
                    to: method,
                    status: status,
                    version: version,
                    headers: headers
                )
            )
        } catch {
            applied = .rejection(error)
        }
        var fields = FramingFields(headers, version)
        var expected = applied
        var rule = fields.rule(otherwise: 8)
        if method == .connect, status.kind == .successful {
            rule = 2
        } else if applied == .framing(.noBody) {
            rule = 1
        } else if fields.hasTransferEncoding {
            expected = fields.transferEncodingDecision(otherwise: .framing(.untilClose))
        }
        fields.recordFieldsWithoutBody(rule: rule, method: method, status: status)
        return FramingAnalysis(
            expected: expected,
            applied: applied,
            rule: rule,
            interpretations: fields.interpretations(otherwise: .untilClose),
            diagnostics: fields.diagnostics
        )
    }
}
