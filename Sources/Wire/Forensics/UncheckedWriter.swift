/// Writes messages exactly as it is told, right or wrong: for tests, fuzzers and replays.
///
/// Nothing is checked, added, ordered or counted. What it writes can smuggle requests past a proxy
/// and split responses: that is what it is for. Never give it text that came from elsewhere to talk
/// to a server you do not own; ``RequestHeadEncoder``, ``ResponseHeadEncoder`` and ``BodyEncoder``
/// are for that.
///
/// Text is written as UTF-8; use the forms that take bytes for anything else.
public struct UncheckedWriter: Sendable {
    /// All that was written since the start, or since ``removeAll()``.
    public private(set) var bytes: [UInt8] = []

    /// Creates a writer that has written nothing.
    public init() {}

    /// Forgets what was written and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    // MARK: - Bytes and lines

    /// Names what a line may end in.
    public enum LineEnd: Sendable, Hashable {
        /// CR and LF, as RFC 9112 §2.2 demands.
        case crlf
        /// LF alone.
        case lineFeed
        /// CR alone.
        case carriageReturn
        /// Nothing: the next line follows at once.
        case omitted
    }

    /// Appends bytes as they are.
    public mutating func append(_ bytes: [UInt8]) {
        self.bytes += bytes
    }

    /// Appends a head as it was read, line ends and empty line included.
    public mutating func append(_ head: RawHead) {
        bytes += head.bytes
    }

    /// Appends any line, such as one that is folded or has no colon.
    public mutating func appendLine(_ text: String, end: LineEnd = .crlf) {
        bytes += text.utf8
        appendLineEnd(end)
    }

    /// Appends any line of bytes.
    public mutating func appendLine(_ content: [UInt8], end: LineEnd = .crlf) {
        bytes += content
        appendLineEnd(end)
    }

    /// Appends a line end alone: what ends a head, or follows chunk data.
    public mutating func appendLineEnd(_ end: LineEnd = .crlf) {
        switch end {
        case .crlf: bytes += [Byte.carriageReturn, Byte.lineFeed]
        case .lineFeed: bytes.append(Byte.lineFeed)
        case .carriageReturn: bytes.append(Byte.carriageReturn)
        case .omitted: break
        }
    }

    // MARK: - Heads

    /// Appends a request line of any three words.
    public mutating func appendRequestLine(
        _ method: String,
        _ target: String,
        _ version: String = "HTTP/1.1",
        separator: String = " ",
        end: LineEnd = .crlf
    ) {
        appendLine(method + separator + target + separator + version, end: end)
    }

    /// Appends a status line of any three words; the last may hold spaces.
    public mutating func appendStatusLine(
        _ status: String,
        _ reason: String,
        _ version: String = "HTTP/1.1",
        separator: String = " ",
        end: LineEnd = .crlf
    ) {
        appendLine(version + separator + status + separator + reason, end: end)
    }

    /// Appends a field line, whether there is another of that name or not.
    ///
    /// - Parameters:
    ///   - name: in any case, token or not.
    ///   - value: may hold what it likes, line ends included.
    ///   - separator: what stands between the two; it need not hold a colon.
    ///   - end: what ends the line.
    public mutating func appendField(
        _ name: String,
        _ value: String,
        separator: String = ": ",
        end: LineEnd = .crlf
    ) {
        appendLine(name + separator + value, end: end)
    }

    /// Appends a field line of bytes.
    public mutating func appendField(
        _ name: [UInt8],
        _ value: [UInt8],
        separator: String = ": ",
        end: LineEnd = .crlf
    ) {
        appendLine(name + Array(separator.utf8) + value, end: end)
    }

    // MARK: - Chunks

    /// Appends a chunk: a size line, the content, a line end.
    ///
    /// - Parameters:
    ///   - content: any bytes; none makes what others take for the last chunk.
    ///   - sizeLine: what stands before the content; nil for the true size in hexadecimal digits.
    ///     It need not be a number, nor the right one.
    ///   - sizeEnd: what ends that line.
    ///   - end: what follows the content.
    public mutating func appendChunk(
        _ content: [UInt8],
        sizeLine: String? = nil,
        sizeEnd: LineEnd = .crlf,
        end: LineEnd = .crlf
    ) {
        if let sizeLine {
            bytes += sizeLine.utf8
        } else {
            Digits.appendHexadecimal(content.count, to: &bytes)
        }
        appendLineEnd(sizeEnd)
        bytes += content
        appendLineEnd(end)
    }

    /// Appends the line that ends the chunks; trailers may follow, and an ``appendLineEnd(_:)`` must.
    public mutating func appendLastChunk(sizeLine: String = "0", end: LineEnd = .crlf) {
        appendLine(sizeLine, end: end)
    }
}
