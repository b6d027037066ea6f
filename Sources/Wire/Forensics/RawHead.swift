/// Holds the bytes of a head and says where each part of it lies, without judging any.
///
/// Every byte belongs to one line, and the lines follow each other without a gap: what is read
/// here is written again byte for byte by ``UncheckedWriter``. A line ends in LF, with
/// CR before it or without; the last may have no end.
///
/// Offsets count from the first byte of the head, as those of ``Diagnostic`` do.
public struct RawHead: Sendable, Hashable {
    /// All bytes, line ends and empty lines included.
    public let bytes: [UInt8]
    /// All lines, in order; together they cover ``bytes``.
    public let lines: [RawLine]

    /// Takes bytes apart, whatever they are.
    ///
    /// - Parameter bytes: one head. Lines behind its empty line are taken for what they look like.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        lines = RawLine.lines(of: bytes.span)
    }

    /// The first line that is not empty; nil when there is none.
    public var startLine: RawLine? { lines.first { $0.kind == .start } }

    /// The lines that have a name and a colon, in order.
    public var fields: [RawLine] { lines.filter { $0.kind == .field } }

    /// Copies the bytes of a part; the range must lie within the head.
    public func bytes(in range: Range<Int>) -> [UInt8] { Array(bytes[range]) }

    /// Spells a part in Latin-1: each byte is the one character of that number, so none is lost.
    ///
    /// The range must lie within the head.
    public func text(in range: Range<Int>) -> String {
        TextDecoding.latin1(bytes.span.extracting(range))
    }
}
