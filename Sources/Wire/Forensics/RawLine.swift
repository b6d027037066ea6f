/// Says where one line of a ``RawHead`` and its parts lie.
public struct RawLine: Sendable, Hashable {
    /// What the line looks like.
    public let kind: Kind
    /// The whole line, its end included.
    public let range: Range<Int>
    /// The line without its end.
    public let content: Range<Int>
    /// The name as it is spelled, without whitespace before the colon; empty unless it is a field.
    public let name: Range<Int>
    /// What follows the colon, or the fold, without whitespace around it; empty for other kinds.
    public let value: Range<Int>

    /// Names what a line may look like, judged by its place and by whether it has a colon.
    public enum Kind: Sendable, Hashable {
        /// There is nothing in it.
        case empty
        /// The first line that is not empty.
        case start
        /// A name, a colon and a value, each well formed or not, and each possibly empty.
        case field
        /// It begins with whitespace and goes on with the field before it.
        case fold
        /// None of these: it has no colon, or begins with whitespace and follows no field.
        case other
    }

    /// The bytes that end the line: CRLF, LF, or none.
    public var end: Range<Int> { content.upperBound..<range.upperBound }

    /// Cuts bytes into lines.
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
