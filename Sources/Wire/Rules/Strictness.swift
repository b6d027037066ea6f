/// The tolerance of a decoder for bytes that violate RFC 9112.
///
/// All levels read input that ``strict`` accepts in the same way, at the same speed and without
/// diagnostics. The only exception is that `forensic` reports trailers that RFC 9110 §6.5.1
/// forbids. The levels ``lenient`` and ``forensic`` can also read input that ``strict`` rejects.
/// They report every deviation with its position as a ``Diagnostic``. At every level, the result
/// does not depend on how the input is split.
///
/// | Level | For | Rejects |
/// |---|---|---|
/// | ``strict`` | servers, proxies; the default of decoders | every deviation |
/// | ``lenient`` | clients; the default of HTTPClient | everything not in the list below |
/// | ``forensic`` | tools that inspect traffic | exceeded limits, and input that is not an HTTP/1 message |
///
/// `lenient` tolerates deviations that RFC 9112 allows a recipient to tolerate, if common readers
/// agree on where the message ends:
///
/// - LF without CR at the end of a line (§2.2); empty lines before a request line (§2.2);
/// - whitespace other than one space in a start line, but only SP and HTAB (§3, §4);
/// - bytes above 0x7F in a request target (§3.2);
/// - a folded field line, unfolded with one space (§5.2);
/// - whitespace before the colon of a field of a response (§5.1);
/// - a bare CR in a field value or reason phrase, replaced by a space (§2.2), and other control
///   characters there, kept (RFC 9110 §5.5), but never NUL.
///
/// All of these concern heads. Chunk lines and trailers follow the strict rules, because readers
/// that accept LF as the end of a chunk line find other chunks than those that do not. No deviation
/// that affects framing is tolerated. A Content-Length or Transfer-Encoding line follows the strict
/// rules except for its line end, and ``BodyFraming`` does not depend on the level. The article
/// *Strictness levels* lists all deviations.
///
/// At `forensic`, ambiguities are not resolved silently either. `FramingAnalysis` of the module
/// WireForensics lists the possible interpretations of the framing fields and the kinds of recipients
/// that use them. The caller chooses one.
public enum Strictness: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Rejects every violation of RFC 9110 or RFC 9112, with an error for the rule.
    case strict
    /// Tolerates a documented list of deviations in heads and reports each one.
    case lenient
    /// Reads all readable input, reports every deviation and keeps the bytes.
    case forensic

    /// Compares levels by tolerance, strictest first.
    public static func < (left: Strictness, right: Strictness) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Returns whether this level may accept input that the strict reader rejected with the error.
    func canContinue(after error: WireError) -> Bool {
        switch error {
        case .limitExceeded: false
        case .foreignProtocol(let other): self == .forensic && other == .unknown
        default: self > .strict
        }
    }
}

extension Strictness {
    /// A policy for the Content-Length of responses.
    public enum ContentLengthPolicy: Sendable, Hashable {
        /// Content-Length determines the end of the body (RFC 9112 §6.3).
        case trusted
        /// Content-Length is ignored.
        ///
        /// Without chunked coding, the body ends with the connection.
        case ignored
    }
}
