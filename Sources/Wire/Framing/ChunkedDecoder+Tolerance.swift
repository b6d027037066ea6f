extension ChunkedDecoder {
    /// What was tolerated in the body so far, trailers included, in the order in which it was met.
    ///
    /// Offsets count from the first octet of the chunked body. Empty at ``Strictness/strict``.
    public var diagnostics: [Diagnostic] { lines.log.entries }

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
    ) throws(WireError) -> (count: Int, storage: FieldStorage)? {
        var reader = tolerantTrailers.taken ?? TolerantFieldReader(.trailers, from: 0)
        // Let go of the copy here, or every line would copy the fields before it.
        tolerantTrailers = .none
        lines.log.base = offset
        let isWhole = try reader.read(
            bytes,
            mostFields: limits.trailerCount,
            limit: .trailerCount(limits.trailerCount),
            log: &lines.log
        )
        guard isWhole else {
            tolerantTrailers = .reading(reader)
            return nil
        }
        return (reader.position, reader.storage(of: bytes))
    }

    /// Refuses fields that no trailer section may hold, or notes each of them.
    ///
    /// What is tolerated is delivered with the trailers, and so apart from the head. A framing field
    /// is there for no honest reason; only `forensic` looks at it.
    ///
    /// - Parameters:
    ///   - storage: the section.
    ///   - offset: octets of the body before it.
    /// - Throws: `.forbiddenTrailer` for the first that the level does not tolerate.
    mutating func refuseForbidden(in storage: FieldStorage, at offset: UInt64) throws(WireError) {
        var index = TrailerRules.firstForbidden(in: storage)
        while let found = index {
            let name = storage[found].name
            let start = offset &+ UInt64(name.lowerBound)
            try lines.log.tolerate(
                .forbiddenTrailer,
                at: start..<start &+ UInt64(name.count),
                else: .forbiddenTrailer(offset: name.lowerBound),
                from: TrailerRules.isFraming(storage[found]) ? .forensic : .lenient
            )
            index = TrailerRules.firstForbidden(in: storage, from: found + 1)
        }
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
