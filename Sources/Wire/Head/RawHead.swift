/// The bytes of a head and the position of each part, without validation.
///
/// Every byte belongs to one line, and there are no gaps between lines. ``UncheckedWriter`` can
/// therefore reproduce the head byte for byte. A line ends in LF, with or without a preceding CR;
/// the last line may have no end.
///
/// Offsets count from the first byte of the head, as those of ``Diagnostic`` do.
public struct RawHead: Sendable, Hashable {
    /// All bytes, including line ends and empty lines.
    public let bytes: [UInt8]
    /// All lines, in order; together they cover ``bytes``.
    public let lines: [RawLine]

    /// Parses any bytes.
    ///
    /// - Parameter bytes: one head. Lines after its empty line are classified in the same way.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        lines = RawLine.lines(of: bytes.span)
    }

    /// The first line that is not empty, or nil if there is none.
    public var startLine: RawLine? { lines.first { $0.kind == .start } }

    /// The lines that have a name and a colon, in order.
    public var fields: [RawLine] { lines.filter { $0.kind == .field } }

    /// Returns the bytes of a part; the range must be within the head.
    public func bytes(in range: Range<Int>) -> [UInt8] { Array(bytes[range]) }

    /// Returns a part decoded as Latin-1, which maps each byte to one character without loss.
    ///
    /// The range must be within the head.
    public func text(in range: Range<Int>) -> String {
        TextDecoding.latin1(bytes.span.extracting(range))
    }
}
