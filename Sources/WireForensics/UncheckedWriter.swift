public import Wire

/// A writer of arbitrary messages, valid or not, for tests, fuzzers and replays.
///
/// It does not check, add, reorder or count anything. Its output can smuggle requests past a proxy
/// and split responses, which is its purpose. Never use it with untrusted text to talk to a server
/// that you do not own. Use `RequestHeadEncoder`, `ResponseHeadEncoder` and `BodyEncoder`
/// instead.
///
/// Text is written as UTF-8. For other encodings, use the methods that take bytes.
public struct UncheckedWriter: Sendable {
    /// All bytes written since the start, or since ``removeAll()``.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    public init() {}

    /// Removes the written bytes and keeps the allocated memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    // MARK: - Bytes and lines

    /// The end of a line.
    public enum LineEnd: Sendable, Hashable {
        /// CR and LF, as RFC 9112 §2.2 requires.
        case crlf
        /// LF alone.
        case lineFeed
        /// CR alone.
        case carriageReturn
        /// No line end: the next line follows directly.
        case omitted
    }

    /// Appends bytes unchanged.
    public mutating func append(_ bytes: [UInt8]) {
        self.bytes += bytes
    }

    /// Appends a received head unchanged, including line ends and the empty line.
    public mutating func append(_ head: RawHead) {
        bytes += head.bytes
    }

    /// Appends any line, such as one that is folded or has no colon.
    public mutating func appendLine(_ text: String, end: LineEnd = .crlf) {
        bytes += text.utf8
        appendLineEnd(end)
    }

    /// Appends any line given as bytes.
    public mutating func appendLine(_ content: [UInt8], end: LineEnd = .crlf) {
        bytes += content
        appendLineEnd(end)
    }

    /// Appends only a line end, such as the one that ends a head or follows chunk data.
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

    /// Appends a status line of any three words; the last one may contain spaces.
    public mutating func appendStatusLine(
        _ status: String,
        _ reason: String,
        _ version: String = "HTTP/1.1",
        separator: String = " ",
        end: LineEnd = .crlf
    ) {
        appendLine(version + separator + status + separator + reason, end: end)
    }

    /// Appends a field line, even if another one has the same name.
    ///
    /// - Parameters:
    ///   - name: the name, in any case; it need not be a token.
    ///   - value: any text, which may contain line ends.
    ///   - separator: the text between name and value; it need not contain a colon.
    ///   - end: the end of the line.
    public mutating func appendField(
        _ name: String,
        _ value: String,
        separator: String = ": ",
        end: LineEnd = .crlf
    ) {
        appendLine(name + separator + value, end: end)
    }

    /// Appends a field line given as bytes.
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
    ///   - content: any bytes. If empty, other parsers read the chunk as the last one.
    ///   - sizeLine: the text before the content, or nil for the real size in hexadecimal digits.
    ///     It need not be a number or the real size.
    ///   - sizeEnd: the end of the size line.
    ///   - end: the line end after the content.
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

    /// Appends the line of the last chunk.
    ///
    /// Trailers may follow, and an ``appendLineEnd(_:)`` must.
    public mutating func appendLastChunk(sizeLine: String = "0", end: LineEnd = .crlf) {
        appendLine(sizeLine, end: end)
    }
}
