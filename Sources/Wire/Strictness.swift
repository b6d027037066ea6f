/// Says how a decoder takes bytes that break the rules of RFC 9112.
///
/// Whatever ``strict`` accepts, the other two read in the same way, at the same speed and without a
/// diagnostic, except that `forensic` reports trailers that RFC 9110 §6.5.1 bans. What it refuses they
/// may still read; then every deviation is told by a ``Diagnostic``, with its place. How the bytes were
/// cut into pieces changes nothing at any level.
///
/// | Level | For | Refuses |
/// |---|---|---|
/// | ``strict`` | servers, proxies; the default of decoders | every deviation |
/// | ``lenient`` | clients; the default of HTTPClient | all that is not in the list below |
/// | ``forensic`` | tools that look at traffic | limits, and what is no HTTP/1 message at all |
///
/// `lenient` tolerates what RFC 9112 lets a recipient tolerate, where the readings that are in use
/// agree on where the message ends:
///
/// - LF without CR at the end of a line (§2.2); empty lines before a request line (§2.2);
/// - whitespace other than one space in a start line, SP and HTAB alone (§3, §4);
/// - bytes above 0x7F in a request target (§3.2);
/// - a folded field line, unfolded with one space (§5.2);
/// - whitespace before the colon of a field of a response (§5.1);
/// - a bare CR in a field value or reason phrase, replaced by a space (§2.2), and other controls
///   there, kept (RFC 9110 §5.5), but never NUL.
///
/// All of these are about heads. Chunk lines and trailers are held to the strict rules, because readers
/// that take LF for the end of a chunk line find other chunks than those that do not. Nor is anything
/// about framing tolerated: a line of Content-Length or Transfer-Encoding is held to the strict rule but
/// for its line end, and ``BodyFraming`` knows no levels. The article *Strictness levels* has the table
/// of all deviations.
///
/// At `forensic` nothing is resolved in silence either: what the framing fields of a head may mean,
/// and to whom, is told by ``FramingAnalysis``, and the caller chooses.
public enum Strictness: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Refuses whatever breaks RFC 9110 or RFC 9112, with the error of the rule.
    case strict
    /// Tolerates a written list of deviations in heads and reports each.
    case lenient
    /// Reads everything that can be read, reports every deviation and keeps the bytes.
    case forensic

    /// Orders by how much is tolerated.
    public static func < (left: Strictness, right: Strictness) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Says whether bytes that the strict reader refused so may mean something at this level.
    func canContinue(after error: WireError) -> Bool {
        switch error {
        case .limitExceeded: false
        case .foreignProtocol(let other): self == .forensic && other == .unknown
        default: self > .strict
        }
    }
}
