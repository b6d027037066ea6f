/// A decoder for the lines around chunk content: sizes, extensions and line ends (RFC 9112 §7.1).
///
/// Between two calls it can stop after any byte of a line.
struct ChunkLineDecoder: Sendable {
    private let limits: WireLimits
    var log: DiagnosticLog
    var state = State.size(digits: 0, value: 0)
    /// The length of the current chunk-size line in bytes.
    private var lineLength = 0
    /// The length of all extensions so far, in bytes.
    private var extensionLength = 0
    /// The last plain size line.
    private(set) var last = HeadScanner.PlainSize()

    /// A state named after a production of the grammar.
    enum State: Sendable {
        /// In chunk-size.
        ///
        /// Next states: beforeExtension, chunkExtension, lineFeed.
        case size(digits: Int, value: Int)
        /// In whitespace after a size.
        ///
        /// Next state: chunkExtension.
        case beforeExtension(value: Int)
        /// In chunk-ext, behind its first semicolon.
        ///
        /// Next state: lineFeed.
        case chunkExtension(value: Int, ExtensionPart)
        /// After the CR of a size line.
        ///
        /// Next state: dataEnd.
        case lineFeed(value: Int)
        /// After chunk-data, once the caller has consumed it.
        ///
        /// Next state: dataLineFeed.
        case dataEnd
        /// After the CR that follows chunk-data.
        ///
        /// Next state: size.
        case dataLineFeed
    }

    /// The position in chunk-ext: `*( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )`.
    enum ExtensionPart: Sendable {
        /// After a semicolon, and the BWS behind it.
        case semicolon
        /// In chunk-ext-name, behind its first byte.
        case name
        /// In the BWS after a name.
        case afterName
        /// After an equals sign, and the BWS behind it.
        case equals
        /// In a chunk-ext-val that is a token, behind its first byte.
        case token
        /// In a chunk-ext-val that is a quoted-string (RFC 9110 §5.6.4).
        case quoted
        /// After a backslash in a quoted-string.
        case escaped
        /// After the closing quote.
        case quotedEnd
        /// In the BWS after a value.
        case afterValue
        /// After a violation of the grammar that the level tolerates; up to the end of the line.
        case malformed

        /// Whether the line may end here.
        var isComplete: Bool {
            switch self {
            case .name, .token, .quotedEnd, .malformed: true
            case .semicolon, .afterName, .equals, .quoted, .escaped, .afterValue: false
            }
        }

        /// Returns the part after a byte other than CR; nil if the grammar does not allow the byte.
        func next(_ byte: UInt8) -> ExtensionPart? {
            switch self {
            case .semicolon:
                if ByteClass.isSpace(byte) { return self }
                return ByteClass.isToken(byte) ? .name : nil
            case .name:
                if ByteClass.isToken(byte) { return self }
                return afterName(byte)
            case .afterName: return afterName(byte)
            case .equals:
                if ByteClass.isSpace(byte) { return self }
                if byte == Byte.quote { return .quoted }
                return ByteClass.isToken(byte) ? .token : nil
            case .token:
                if ByteClass.isToken(byte) { return self }
                return afterValue(byte)
            case .quoted:
                if byte == Byte.quote { return .quotedEnd }
                if byte == Byte.backslash { return .escaped }
                return ByteClass.isFieldValue(byte) ? self : nil
            case .escaped: return ByteClass.isFieldValue(byte) ? .quoted : nil
            case .quotedEnd, .afterValue: return afterValue(byte)
            case .malformed: return ByteClass.isFieldValue(byte) ? self : nil
            }
        }

        private func afterName(_ byte: UInt8) -> ExtensionPart? {
            if ByteClass.isSpace(byte) { return .afterName }
            if byte == Byte.equals { return .equals }
            return byte == Byte.semicolon ? .semicolon : nil
        }

        private func afterValue(_ byte: UInt8) -> ExtensionPart? {
            if ByteClass.isSpace(byte) { return .afterValue }
            return byte == Byte.semicolon ? .semicolon : nil
        }
    }

    /// Creates a decoder at the first size line of a body.
    init(limits: WireLimits, strictness: Strictness) {
        self.limits = limits
        log = DiagnosticLog(strictness, limits: limits)
    }

    /// Reads up to the content of the next chunk.
    ///
    /// The caller reads the content itself and calls this method again after it.
    ///
    /// - Parameters:
    ///   - input: the bytes to read, from `index` on.
    ///   - index: advances to the content, or to the end of the input.
    ///   - offset: the number of body bytes before `input`, for the offsets of errors.
    /// - Returns: the size of the chunk, 0 for the last one, or nil if its line is incomplete.
    /// - Throws: any case of kind `.body`, or `.limitExceeded` for lines and extensions.
    mutating func next(
        _ input: Span<UInt8>,
        from index: inout Int,
        offset: Int
    ) throws(WireError) -> Int? {
        while index < input.count {
            switch state {
            case .dataEnd:
                if let line = plainNext(input, at: index, after: last) {
                    last = line
                    index += line.length + 2
                    return line.size
                }
                guard HeadScanner.isLineEnd(in: input, at: index) else { break }
                state = .size(digits: 0, value: 0)
                index += 2
                continue
            case .size(digits: 0, value: 0):
                guard let line = plainSize(in: input, at: index, after: last) else { break }
                last = line
                state = .dataEnd
                index += line.length
                return line.size
            default: break
            }
            let size = try step(input[index], at: offset &+ index)
            index += 1
            if let size { return size }
        }
        return nil
    }

    /// The number of bytes that ``plainNext(_:at:after:)`` examines.
    static let plainWindow = 2 + HeadScanner.sizeWindow

    /// Reads the end of a chunk and a plain size line directly after the content.
    ///
    /// - Returns: nil for anything else, which ``next(_:from:offset:)`` must handle.
    @inline(__always)
    func plainNext(
        _ input: Span<UInt8>,
        at index: Int,
        after last: HeadScanner.PlainSize
    ) -> HeadScanner.PlainSize? {
        guard HeadScanner.isLineEnd(in: input, at: index) else { return nil }
        return plainSize(in: input, at: index &+ 2, after: last)
    }

    @inline(__always)
    private func plainSize(
        in input: Span<UInt8>,
        at index: Int,
        after last: HeadScanner.PlainSize
    ) -> HeadScanner.PlainSize? {
        guard let line = HeadScanner.plainSize(in: input, at: index, after: last),
            line.length &- 2 <= limits.chunkLineBytes
        else { return nil }
        return line
    }

    /// Consumes one byte, and returns the size if the byte completes its line.
    mutating func step(_ byte: UInt8, at offset: Int) throws(WireError) -> Int? {
        do throws(WireError) {
            return try stepStrictly(byte, at: offset)
        } catch {
            return try tolerate(error, byte, at: offset)
        }
    }

    private mutating func stepStrictly(
        _ byte: UInt8,
        at offset: Int
    ) throws(WireError) -> Int? {
        switch state {
        case .size(let digits, let value):
            if let digit = Digits.hexadecimal(byte) {
                try countLine()
                guard digits < 16 else { throw .malformedChunkSize(offset: offset) }
                guard value <= Int.max >> 4 else { throw .chunkSizeOverflow(offset: offset) }
                state = .size(digits: digits + 1, value: value << 4 | Int(digit))
            } else {
                guard digits > 0 else { throw .malformedChunkSize(offset: offset) }
                try endSize(byte, value, offset)
            }
        case .beforeExtension(let value):
            try countExtension()
            if byte == Byte.semicolon {
                state = .chunkExtension(value: value, .semicolon)
            } else if !ByteClass.isSpace(byte) {
                throw .malformedChunkExtension(offset: offset)
            }
        case .chunkExtension(let value, let part):
            if byte == Byte.carriageReturn {
                guard part.isComplete else { throw .malformedChunkExtension(offset: offset) }
                state = .lineFeed(value: value)
            } else {
                try countExtension()
                guard let next = part.next(byte) else {
                    throw .malformedChunkExtension(offset: offset)
                }
                state = .chunkExtension(value: value, next)
            }
        case .lineFeed(let value):
            guard byte == Byte.lineFeed else { throw .malformedChunkEnd(offset: offset) }
            return endLine(value)
        case .dataEnd:
            guard byte == Byte.carriageReturn else { throw .malformedChunkEnd(offset: offset) }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == Byte.lineFeed else { throw .malformedChunkEnd(offset: offset) }
            state = .size(digits: 0, value: 0)
        }
        return nil
    }

    /// Consumes the byte after the digits of a size.
    private mutating func endSize(
        _ byte: UInt8,
        _ value: Int,
        _ offset: Int
    ) throws(WireError) {
        switch byte {
        case Byte.carriageReturn:
            state = .lineFeed(value: value)
        case Byte.semicolon:
            try countExtension()
            state = .chunkExtension(value: value, .semicolon)
        case Byte.space, Byte.tab:
            try countExtension()
            state = .beforeExtension(value: value)
        case Byte.lineFeed:
            throw .malformedChunkEnd(offset: offset)
        default:
            throw .malformedChunkSize(offset: offset)
        }
    }

    /// Ends a size line and returns its size.
    mutating func endLine(_ value: Int) -> Int {
        lineLength = 0
        state = .dataEnd
        return value
    }

    private mutating func countLine() throws(WireError) {
        lineLength += 1
        guard lineLength <= limits.chunkLineBytes else {
            throw .limitExceeded(.chunkLineBytes(limits.chunkLineBytes))
        }
    }

    /// Counts a byte of an extension, which also counts as a byte of the line.
    private mutating func countExtension() throws(WireError) {
        try countLine()
        extensionLength += 1
        guard extensionLength <= limits.chunkExtensionBytes else {
            throw .limitExceeded(.chunkExtensionBytes(limits.chunkExtensionBytes))
        }
    }
}

extension ChunkLineDecoder {
    /// Accepts a byte that the strict grammar rejects, or throws the strict error.
    ///
    /// A size always follows the strict rule, because it determines where the chunk ends. An LF in
    /// an extension ends the line for some readers and not for others, so only `forensic`
    /// continues.
    mutating func tolerate(
        _ error: WireError,
        _ byte: UInt8,
        at offset: Int
    ) throws(WireError) -> Int? {
        guard log.strictness.canContinue(after: error) else { throw error }
        let range = offset..<offset &+ 1
        switch state {
        case .size(let digits, let value) where digits > 0 && byte == Byte.lineFeed:
            try log.tolerate(.bareLineFeed, at: range, else: error)
            return endLine(value)
        case .beforeExtension(let value) where byte == Byte.carriageReturn:
            try log.tolerate(.spaceAfterChunkSize, at: range, else: error)
            state = .lineFeed(value: value)
        case .beforeExtension(let value) where byte == Byte.lineFeed:
            try log.tolerate(.spaceAfterChunkSize, at: range, else: error)
            try log.tolerate(.bareLineFeed, at: range, else: error)
            return endLine(value)
        case .chunkExtension(let value, let part) where byte == Byte.lineFeed:
            if !part.isComplete {
                try log.tolerate(.malformedChunkExtension, at: range, else: error)
            }
            try log.tolerate(.bareLineFeed, at: range, else: error, from: .forensic)
            return endLine(value)
        case .chunkExtension(let value, _) where byte == Byte.carriageReturn:
            try log.tolerate(.malformedChunkExtension, at: range, else: error)
            state = .lineFeed(value: value)
        case .beforeExtension(let value), .chunkExtension(let value, _):
            try log.tolerate(.malformedChunkExtension, at: range, else: error)
            state = .chunkExtension(value: value, .malformed)
        case .dataEnd where byte == Byte.lineFeed:
            try log.tolerate(.bareLineFeed, at: range, else: error)
            state = .size(digits: 0, value: 0)
        case .dataEnd:
            try log.tolerate(.missingChunkEnd, at: offset..<offset, else: error)
            state = .size(digits: 0, value: 0)
            return try step(byte, at: offset)
        case .size, .lineFeed, .dataLineFeed:
            throw error
        }
        return nil
    }
}
