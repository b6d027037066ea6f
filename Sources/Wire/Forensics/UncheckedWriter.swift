/// Writes messages exactly as it is told, right or wrong: for tests, fuzzers and replays.
///
/// Nothing is checked, added, ordered or counted. What it writes can smuggle requests past a proxy
/// and split responses: that is what it is for. Never give it text that came from elsewhere to talk
/// to a server you do not own; ``RequestHeadEncoder``, ``ResponseHeadEncoder`` and ``BodyEncoder``
/// are for that.
///
/// Text is written as UTF-8; use the forms that take octets for anything else.
public struct UncheckedWriter: Sendable {
    /// All that was written since the start, or since ``removeAll()``.
    public private(set) var octets: [UInt8] = []

    /// Creates a writer that has written nothing.
    public init() {}

    /// Forgets what was written and keeps the memory.
    public mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
    }

    // MARK: - Octets and lines

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

    /// Appends octets as they are.
    public mutating func append(_ octets: [UInt8]) {
        self.octets += octets
    }

    /// Appends a head as it was read, line ends and empty line included.
    public mutating func append(_ head: RawHead) {
        octets += head.octets
    }

    /// Appends any line, such as one that is folded or has no colon.
    public mutating func line(_ text: String, end: LineEnd = .crlf) {
        octets += text.utf8
        self.end(end)
    }

    /// Appends any line of octets.
    public mutating func line(_ content: [UInt8], end: LineEnd = .crlf) {
        octets += content
        self.end(end)
    }

    /// Appends a line end alone: what ends a head, or follows chunk data.
    public mutating func end(_ end: LineEnd = .crlf) {
        switch end {
        case .crlf: octets += [Byte.carriageReturn, Byte.lineFeed]
        case .lineFeed: octets.append(Byte.lineFeed)
        case .carriageReturn: octets.append(Byte.carriageReturn)
        case .omitted: break
        }
    }

    // MARK: - Heads

    /// Appends a request line of any three words.
    public mutating func requestLine(
        _ method: String,
        _ target: String,
        _ version: String = "HTTP/1.1",
        separator: String = " ",
        end: LineEnd = .crlf
    ) {
        line(method + separator + target + separator + version, end: end)
    }

    /// Appends a status line of any three words; the last may hold spaces.
    public mutating func statusLine(
        _ status: String,
        _ reason: String,
        _ version: String = "HTTP/1.1",
        separator: String = " ",
        end: LineEnd = .crlf
    ) {
        line(version + separator + status + separator + reason, end: end)
    }

    /// Appends a field line, whether there is another of that name or not.
    ///
    /// - Parameters:
    ///   - name: in any case, token or not.
    ///   - value: may hold what it likes, line ends included.
    ///   - separator: what stands between the two; it need not hold a colon.
    ///   - end: what ends the line.
    public mutating func field(
        _ name: String,
        _ value: String,
        separator: String = ": ",
        end: LineEnd = .crlf
    ) {
        line(name + separator + value, end: end)
    }

    /// Appends a field line of octets.
    public mutating func field(
        _ name: [UInt8],
        _ value: [UInt8],
        separator: String = ": ",
        end: LineEnd = .crlf
    ) {
        line(name + Array(separator.utf8) + value, end: end)
    }

    // MARK: - Chunks

    /// Appends a chunk: a size line, the content, a line end.
    ///
    /// - Parameters:
    ///   - content: any octets; none makes what others take for the last chunk.
    ///   - sizeLine: what stands before the content; nil for the true size in hexadecimal digits.
    ///     It need not be a number, nor the right one.
    ///   - sizeEnd: what ends that line.
    ///   - end: what follows the content.
    public mutating func chunk(
        _ content: [UInt8],
        sizeLine: String? = nil,
        sizeEnd: LineEnd = .crlf,
        end: LineEnd = .crlf
    ) {
        if let sizeLine {
            octets += sizeLine.utf8
        } else {
            Digits.appendHexadecimal(content.count, to: &octets)
        }
        self.end(sizeEnd)
        octets += content
        self.end(end)
    }

    /// Appends the line that ends the chunks; trailers may follow, and an ``end(_:)`` must.
    public mutating func lastChunk(sizeLine: String = "0", end: LineEnd = .crlf) {
        line(sizeLine, end: end)
    }
}
