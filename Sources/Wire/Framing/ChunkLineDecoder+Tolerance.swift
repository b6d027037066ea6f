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
        case .chunkExtension(let value) where byte == Byte.lineFeed:
            try log.tolerate(.bareLineFeed, at: range, else: error, from: .forensic)
            return endLine(value)
        case .beforeExtension(let value), .chunkExtension(let value):
            try log.tolerate(.malformedChunkExtension, at: range, else: error)
            state = .chunkExtension(value: value)
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
