/// The bytes of a head and the position of each part, without validation.
///
/// Every byte belongs to one line, and there are no gaps between lines. `UncheckedWriter` can
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

extension RawHead: CustomStringConvertible, CustomReflectable {
    /// The size, such as `RawHead 112 bytes, 5 lines`, because a head can contain credentials.
    public var description: String { "RawHead \(bytes.count) bytes, \(lines.count) lines" }

    /// The lines, without their bytes.
    public var customMirror: Mirror { Mirror(self, children: ["lines": lines]) }
}

/// The position of one line of a ``RawHead`` and of its parts.
public struct RawLine: Sendable, Hashable {
    /// The kind of line.
    public let kind: Kind
    /// The whole line, including its end.
    public let range: Range<Int>
    /// The line without its end.
    public let content: Range<Int>
    /// The name as spelled, without whitespace before the colon; empty unless the line is a field.
    public let name: Range<Int>
    /// The text after the colon or the fold, without surrounding whitespace; empty for other kinds.
    public let value: Range<Int>

    /// A kind of line, determined by its position and by whether it has a colon.
    public enum Kind: Sendable, Hashable {
        /// An empty line.
        case empty
        /// The first line that is not empty.
        case start
        /// A name, a colon and a value, which may each be malformed or empty.
        case field
        /// A line that begins with whitespace and continues the preceding field.
        case fold
        /// Any other line: without a colon, or beginning with whitespace but not after a field.
        case other
    }

    /// The bytes that end the line: CRLF, LF, or none.
    public var end: Range<Int> { content.upperBound..<range.upperBound }

    /// Splits bytes into lines.
    static func lines(of bytes: Span<UInt8>) -> [RawLine] {
        var lines: [RawLine] = []
        var start = 0
        var searched = 0
        var previous = Kind.empty
        var hasStarted = false
        while start < bytes.count {
            let line = TolerantLine(in: bytes, from: start, searched: &searched)
            let end = line?.end ?? bytes.count
            let content = line?.content ?? start..<end
            let kind = kind(of: content, in: bytes, behind: previous, hasStarted: hasStarted)
            lines.append(RawLine(kind, start..<end, content, in: bytes))
            hasStarted = hasStarted || kind == .start
            previous = kind
            start = end
        }
        return lines
    }

    private static func kind(
        of content: Range<Int>,
        in bytes: Span<UInt8>,
        behind previous: Kind,
        hasStarted: Bool
    ) -> Kind {
        if content.isEmpty { return .empty }
        guard hasStarted else { return .start }
        if ByteClass.isSpace(bytes[content.lowerBound]) {
            return previous == .field || previous == .fold ? .fold : .other
        }
        return colon(in: content, of: bytes) == nil ? .other : .field
    }

    private init(_ kind: Kind, _ range: Range<Int>, _ content: Range<Int>, in bytes: Span<UInt8>) {
        self.kind = kind
        self.range = range
        self.content = content
        let nothing = content.upperBound..<content.upperBound
        switch kind {
        case .field:
            let colon = Self.colon(in: content, of: bytes) ?? content.upperBound
            let rest = min(colon + 1, content.upperBound)..<content.upperBound
            name = ListSyntax.trim(content.lowerBound..<colon, of: bytes)
            value = ListSyntax.trim(rest, of: bytes)
        case .fold:
            name = nothing
            value = ListSyntax.trim(content, of: bytes)
        case .empty, .start, .other:
            name = nothing
            value = nothing
        }
    }

    private static func colon(in content: Range<Int>, of bytes: Span<UInt8>) -> Int? {
        for index in content where bytes[index] == Byte.colon { return index }
        return nil
    }
}
