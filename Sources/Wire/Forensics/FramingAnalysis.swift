/// Tells every way in which the framing fields of a head can be read, and resolves none in silence.
///
/// ``BodyFraming`` gives one answer or an error. Where two recipients of one message read its end
/// differently, one of them can be made to take body for a second message; this says which interpretations
/// there are, so that a tool can show them, or choose one and decode with it.
public struct FramingAnalysis: Sendable, Hashable {
    /// What RFC 9112 §6.3 has a recipient do.
    public let expected: Decision
    /// What ``BodyFraming`` does: as expected, or refused where the standard leaves a choice.
    public let applied: Decision
    /// The rule of RFC 9112 §6.3 that settles it, 1 to 8.
    public let rule: Int
    /// What each kind of recipient makes of the fields, without regard to rules 1 and 2.
    ///
    /// In the order of ``Parser``; one that finds nothing to read is left out, so the last,
    /// `.neither`, is always there.
    public let interpretations: [Interpretation]
    /// Every deviation in the framing fields, with its place in the head if they came with one.
    public let diagnostics: [Diagnostic]

    /// Says what is to be done with the body.
    public enum Decision: Sendable, Hashable, CustomStringConvertible {
        /// It is delimited so.
        case framing(BodyFraming)
        /// The message is to be refused, and the connection closed.
        case rejection(WireError)

        /// Names the framing, or the rule for which the message is refused.
        public var description: String {
            switch self {
            case .framing(let framing): "\(framing)"
            case .rejection(let error): "rejection: \(error)"
            }
        }
    }

    /// Names a kind of recipient.
    public enum Parser: Sendable, Hashable, CaseIterable {
        /// Lets Transfer-Encoding win, and takes chunks when chunked is the last coding.
        case transferEncoding
        /// Takes the first Content-Length that is a number, and no other field.
        case firstContentLength
        /// Takes the last Content-Length that is a number, and no other field.
        case lastContentLength
        /// Takes the digits at the front of the first Content-Length, behind a sign if there is
        /// one, at most 2^63 - 1: as `strtoll` does.
        case leadingDigits
        /// Knows neither field.
        case neither
    }

    /// Tells what one kind of recipient takes the framing to be.
    public struct Interpretation: Sendable, Hashable {
        /// Who reads so.
        public let parser: Parser
        /// What it makes of the fields.
        public let framing: BodyFraming
    }

    /// Says whether recipients that look at the framing fields may disagree about the end.
    ///
    /// `.neither` does not count: a recipient of HTTP/1.1 knows both fields.
    public var isAmbiguous: Bool {
        Set(interpretations.filter { $0.parser != .neither }.map(\.framing)).count > 1
    }

    /// Analyses the head of a request.
    ///
    /// - Parameters:
    ///   - version: as declared.
    ///   - headers: as read, repeats included.
    /// - Returns: what the fields say; there is no head that cannot be analysed.
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

    /// Analyses the head of a response.
    ///
    /// - Parameters:
    ///   - method: of the request.
    ///   - status: of the response, as are the others.
    ///   - version: as declared.
    ///   - headers: as read, repeats included.
    /// - Returns: what the fields say; there is no head that cannot be analysed.
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
