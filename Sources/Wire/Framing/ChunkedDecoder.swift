/// Takes chunks apart (RFC 9112 §7.1).
///
/// Strict: a size is 1 to 16 hexadecimal digits and nothing else, lines end in CRLF, the last
/// chunk is followed by a trailer section. Extensions are skipped, but counted and free of
/// controls. Body octets are not copied.
public struct ChunkedDecoder: Sendable {
    let limits: WireLimits
    var log: DiagnosticLog
    /// How far a trailer section was read that the strict rules refuse.
    var tolerantTrailers = TolerantTrailers.none
    var state = State.size(digits: 0, value: 0)
    /// Octets of the chunked body before the input, for the offsets of errors.
    private var offset: UInt64 = 0
    /// Octets of the present chunk-size line.
    private var lineLength = 0
    /// Octets of all extensions so far.
    private var extensionLength = 0
    /// Octets of content passed on, or read elsewhere.
    public private(set) var received: UInt64 = 0

    /// Named after the productions of the grammar.
    enum State: Sendable {
        /// In chunk-size. Can go to: beforeExtension, chunkExtension, lineFeed.
        case size(digits: Int, value: UInt64)
        /// In whitespace behind a size. Can go to: chunkExtension.
        case beforeExtension(value: UInt64)
        /// In chunk-ext. Can go to: lineFeed.
        case chunkExtension(value: UInt64)
        /// Behind the CR of a size line. Can go to: data, trailers.
        case lineFeed(value: UInt64)
        /// In chunk-data. Can go to: dataEnd.
        case data(left: UInt64)
        /// Behind chunk-data. Can go to: dataLineFeed.
        case dataEnd
        /// Behind the CR that follows chunk-data. Can go to: size.
        case dataLineFeed
        /// In trailer-section. Can go to: done.
        case trailers(SectionScanner)
        /// The body is complete.
        case done
    }

    /// Creates a decoder at the start of a body.
    ///
    /// - Parameters:
    ///   - limits: bounds on chunk lines and trailers.
    ///   - strictness: what is tolerated; nothing, unless asked for. See ``diagnostics``.
    public init(limits: WireLimits = .default, strictness: Strictness = .strict) {
        self.limits = limits
        log = DiagnosticLog(strictness, limits: limits)
    }

    /// Reads up to the next piece of content, or the end.
    ///
    /// `consumed` may be greater than the end of the range of a `.body` event. A trailer section is
    /// consumed whole: until it is complete its octets must be offered again. After `.end` every
    /// call answers `.end` and consumes nothing.
    ///
    /// - Throws: any case of kind `.body`; for trailers also of kind `.head`; `.limitExceeded` for
    ///   the limits of chunk lines, extensions and trailers.
    public mutating func decode(_ input: Span<UInt8>) throws(WireError) -> BodyStep {
        var index = 0
        while index < input.count {
            switch state {
            case .data(let left):
                let count = Int(min(UInt64(input.count - index), left))
                let range = index..<index + count
                received = min(received, .max - UInt64(count)) + UInt64(count)
                state = left == UInt64(count) ? .dataEnd : .data(left: left - UInt64(count))
                offset &+= UInt64(range.upperBound)
                return BodyStep(consumed: range.upperBound, event: .body(range))
            case .trailers(let scanner):
                return try decodeTrailers(input, from: index, scanner)
            case .done:
                return BodyStep(consumed: index, event: .end(trailers: [:]))
            case .size(digits: 0, value: 0):
                if let end = takePlainSizeLine(input, from: index) {
                    index = end
                    continue
                }
                try step(input[index], at: offset &+ UInt64(index))
                index += 1
            case .dataEnd
            where index + 1 < input.count && input[index] == Byte.carriageReturn
                && input[index + 1] == Byte.lineFeed:
                state = .size(digits: 0, value: 0)
                index += 2
            default:
                try step(input[index], at: offset &+ UInt64(index))
                index += 1
            }
        }
        offset &+= UInt64(index)
        if case .done = state { return BodyStep(consumed: index, event: .end(trailers: [:])) }
        return BodyStep(consumed: index, event: .needMore)
    }

    /// Tells the octets of content left in the present chunk; nil outside of chunk data.
    public var remainingInChunk: UInt64? {
        if case .data(let left) = state { return left }
        return nil
    }

    /// Takes a whole size line of up to seven digits and nothing else; almost all are like that.
    ///
    /// - Returns: the first octet behind it; nil, and nothing is changed, when it is another line.
    private mutating func takePlainSizeLine(_ input: Span<UInt8>, from start: Int) -> Int? {
        var value: UInt64 = 0
        var index = start
        let end = min(input.count, start + 7)
        while index < end, let digit = Digits.hexadecimal(input[index]) {
            value = value << 4 | UInt64(digit)
            index += 1
        }
        guard index > start, index + 1 < input.count, input[index] == Byte.carriageReturn,
            input[index + 1] == Byte.lineFeed, index - start < limits.chunkLineBytes
        else { return nil }
        state = value == 0 ? .trailers(SectionScanner(from: 0)) : .data(left: value)
        return index + 2
    }

    /// Takes one octet of the lines around the content.
    mutating func step(_ byte: UInt8, at offset: UInt64) throws(WireError) {
        do {
            try stepStrictly(byte, at: offset)
        } catch {
            try tolerate(error, byte, at: offset)
        }
    }

    private mutating func stepStrictly(_ byte: UInt8, at offset: UInt64) throws(WireError) {
        switch state {
        case .size(let digits, let value):
            try countLine()
            if let digit = Digits.hexadecimal(byte) {
                guard digits < 16 else { throw .malformedChunkSize(offset: offset) }
                guard value <= UInt64(Int64.max) >> 4 else {
                    throw .chunkSizeOverflow(offset: offset)
                }
                state = .size(digits: digits + 1, value: value << 4 | UInt64(digit))
                return
            }
            guard digits > 0 else { throw .malformedChunkSize(offset: offset) }
            try endSize(byte, value, offset)
        case .beforeExtension(let value):
            try countLine()
            try countExtension()
            if byte == Byte.semicolon {
                state = .chunkExtension(value: value)
            } else if !ByteClass.isSpace(byte) {
                throw .malformedChunkExtension(offset: offset)
            }
        case .chunkExtension(let value):
            if byte == Byte.carriageReturn {
                state = .lineFeed(value: value)
                return
            }
            try countLine()
            try countExtension()
            guard ByteClass.isFieldValue(byte) else {
                throw .malformedChunkExtension(offset: offset)
            }
        case .lineFeed(let value):
            guard byte == Byte.lineFeed else { throw .malformedChunkEnd(offset: offset) }
            endLine(value)
        case .dataEnd:
            guard byte == Byte.carriageReturn else { throw .malformedChunkEnd(offset: offset) }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == Byte.lineFeed else { throw .malformedChunkEnd(offset: offset) }
            state = .size(digits: 0, value: 0)
        case .data, .trailers, .done:
            break
        }
    }

    /// Takes the octet behind the digits of a size.
    private mutating func endSize(
        _ byte: UInt8,
        _ value: UInt64,
        _ offset: UInt64
    ) throws(WireError) {
        switch byte {
        case Byte.carriageReturn:
            state = .lineFeed(value: value)
        case Byte.semicolon:
            try countExtension()
            state = .chunkExtension(value: value)
        case Byte.space, Byte.tab:
            try countExtension()
            state = .beforeExtension(value: value)
        case Byte.lineFeed:
            throw .malformedChunkEnd(offset: offset)
        default:
            throw .malformedChunkSize(offset: offset)
        }
    }

    /// Ends a size line.
    mutating func endLine(_ value: UInt64) {
        lineLength = 0
        state = value == 0 ? .trailers(SectionScanner(from: 0)) : .data(left: value)
    }

    private mutating func countLine() throws(WireError) {
        lineLength += 1
        guard lineLength <= limits.chunkLineBytes else {
            throw .limitExceeded(.chunkLineBytes(limits.chunkLineBytes))
        }
    }

    private mutating func countExtension() throws(WireError) {
        extensionLength += 1
        guard extensionLength <= limits.chunkExtensionBytes else {
            throw .limitExceeded(.chunkExtensionBytes(limits.chunkExtensionBytes))
        }
    }

    /// Reads the trailer section; it is consumed whole or not at all.
    private mutating func decodeTrailers(
        _ input: Span<UInt8>,
        from start: Int,
        _ scanner: SectionScanner
    ) throws(WireError) -> BodyStep {
        var scanner = scanner
        let all = input.extracting(start..<input.count)
        let bytes = all.extracting(first: max(limits.trailerBytes, 0))
        if scanner.count == 0, bytes.count >= 2, bytes[0] == Byte.carriageReturn,
            bytes[1] == Byte.lineFeed
        {
            state = .done
            offset &+= UInt64(start + 2)
            return BodyStep(consumed: start + 2, event: .end(trailers: [:]))
        }
        let found = try readTrailers(bytes, &scanner, at: offset &+ UInt64(start))
        guard let found else {
            guard all.count < limits.trailerBytes else {
                throw .limitExceeded(.trailerBytes(limits.trailerBytes))
            }
            state = .trailers(scanner)
            offset &+= UInt64(start)
            return BodyStep(consumed: start, event: .needMore)
        }
        state = .done
        let end = start + found.count
        offset &+= UInt64(end)
        return BodyStep(consumed: end, event: .end(trailers: found.trailers))
    }

    private mutating func readTrailers(
        _ bytes: Span<UInt8>,
        _ scanner: inout SectionScanner,
        at offset: UInt64
    ) throws(WireError) -> (count: Int, trailers: HTTPHeaders)? {
        if case .reading = tolerantTrailers {
            return try readTrailersTolerantly(bytes, at: offset)
        }
        do {
            let storage = try scanner.read(
                bytes,
                mostFields: limits.trailerCount,
                limit: .trailerCount(limits.trailerCount)
            )
            guard let storage else { return nil }
            return (scanner.position, HTTPHeaders(storage: storage))
        } catch {
            guard log.strictness.mayRead(past: error) else { throw error }
            return try readTrailersTolerantly(bytes, at: offset)
        }
    }
}

extension ChunkedDecoder {
    /// Tells the decoder that octets of the present chunk were read elsewhere.
    ///
    /// - Parameter count: at most ``remainingInChunk``; what is above that is ignored.
    public mutating func consumedDirectly(_ count: UInt64) {
        guard case .data(let left) = state else { return }
        let taken = min(count, left)
        // Nobody has read so much; a caller that says so must not stop the program.
        received = min(received, .max - taken) + taken
        offset &+= taken
        state = left == taken ? .dataEnd : .data(left: left - taken)
    }
}
