/// Holds the octets of a head and says where each part of it lies, without judging any.
///
/// Every octet belongs to one line, and the lines follow each other without a gap: what is read
/// here is written again octet for octet by ``UncheckedWriter``. A line ends in LF, with
/// CR before it or without; the last may have no end.
///
/// Offsets count from the first octet of the head, as those of ``Diagnostic`` do.
public struct RawHead: Sendable, Hashable {
    /// All octets, line ends and empty lines included.
    public let octets: [UInt8]
    /// All lines, in order; together they cover ``octets``.
    public let lines: [RawLine]

    /// Takes octets apart, whatever they are.
    ///
    /// - Parameter octets: one head. Lines behind its empty line are taken for what they look like.
    public init(_ octets: [UInt8]) {
        self.octets = octets
        lines = RawLine.lines(of: octets.span)
    }

    /// The first line that is not empty; nil when there is none.
    public var startLine: RawLine? { lines.first { $0.kind == .start } }

    /// The lines that have a name and a colon, in order.
    public var fields: [RawLine] { lines.filter { $0.kind == .field } }

    /// Copies the octets of a part; the range must lie within the head.
    public func octets(in range: Range<Int>) -> [UInt8] { Array(octets[range]) }

    /// Spells a part in Latin-1: each octet is the one character of that number, so none is lost.
    ///
    /// The range must lie within the head.
    public func text(in range: Range<Int>) -> String {
        OctetText.latin1(octets.span.extracting(range))
    }
}
