extension ChunkedDecoder {
    /// What was tolerated in the body so far, trailers included, in the order in which it was met.
    ///
    /// Offsets count from the first octet of the chunked body. Empty at ``Strictness/strict``.
    public var diagnostics: [Diagnostic] { log.entries }

    /// Takes an octet that the strict grammar refuses, or throws the error with which it did.
    ///
    /// A size is always held to the strict rule: where the chunk ends hangs on it. LF in an
    /// extension ends the line for some readers and not for others, so only `forensic` reads on.
    mutating func tolerate(
        _ error: WireError,
        _ byte: UInt8,
        at offset: UInt64
    ) throws(WireError) {
        guard log.strictness.mayRead(past: error) else { throw error }
        let range = offset..<offset &+ 1
        switch state {
        case .size(let digits, let value) where digits > 0 && byte == Byte.lineFeed:
            try log.tolerate(.bareLineFeed, at: range, else: error)
            endLine(value)
        case .beforeExtension(let value) where byte == Byte.carriageReturn:
            try log.tolerate(.spaceAfterChunkSize, at: range, else: error)
            state = .lineFeed(value: value)
        case .beforeExtension(let value) where byte == Byte.lineFeed:
            try log.tolerate(.spaceAfterChunkSize, at: range, else: error)
            try log.tolerate(.bareLineFeed, at: range, else: error)
            endLine(value)
        case .chunkExtension(let value) where byte == Byte.lineFeed:
            try log.tolerate(.bareLineFeed, at: range, else: error, from: .forensic)
            endLine(value)
        case .beforeExtension(let value), .chunkExtension(let value):
            try log.tolerate(.malformedChunkExtension, at: range, else: error)
            state = .chunkExtension(value: value)
        case .dataEnd where byte == Byte.lineFeed:
            try log.tolerate(.bareLineFeed, at: range, else: error)
            state = .size(digits: 0, value: 0)
        case .dataEnd:
            try log.tolerate(.missingChunkEnd, at: offset..<offset, else: error)
            state = .size(digits: 0, value: 0)
            try step(byte, at: offset)
        case .size, .lineFeed, .dataLineFeed, .data, .trailers, .done:
            throw error
        }
    }

    /// Reads on in a trailer section that the strict reader refused.
    ///
    /// - Parameters:
    ///   - bytes: the section from its first octet.
    ///   - offset: octets of the body before them.
    /// - Returns: the trailers and the octets they took; nil while the section is not complete.
    /// - Throws: what the level does not tolerate, or `.limitExceeded` for the number of lines.
    mutating func readTrailersTolerantly(
        _ bytes: Span<UInt8>,
        at offset: UInt64
    ) throws(WireError) -> (count: Int, trailers: HTTPHeaders)? {
        var reader = tolerantTrailers.taken ?? TolerantFieldReader(.trailers, from: 0)
        // Let go of the copy here, or every line would copy the fields before it.
        tolerantTrailers = .none
        log.base = offset
        let isWhole = try reader.read(
            bytes,
            mostFields: limits.trailerCount,
            limit: .trailerCount(limits.trailerCount),
            log: &log
        )
        guard isWhole else {
            tolerantTrailers = .reading(reader)
            return nil
        }
        return (reader.position, HTTPHeaders(storage: reader.storage(of: bytes)))
    }

    /// Behind one pointer, which is null unless such a section is being read.
    indirect enum TolerantTrailers: Sendable {
        case none
        case reading(TolerantFieldReader)

        var taken: TolerantFieldReader? {
            if case .reading(let reader) = self { return reader }
            return nil
        }
    }
}
