extension ChunkedDecoder {
    /// What was tolerated in the body so far, trailers included, in the order in which it was met.
    ///
    /// Offsets count from the first byte of the chunked body. Empty below ``Strictness/forensic``.
    public var diagnostics: [Diagnostic] { lines.log.entries }

    /// Reads on in a trailer section that the strict reader refused.
    ///
    /// - Parameters:
    ///   - bytes: the section from its first byte.
    ///   - offset: bytes of the body before them.
    /// - Returns: the trailers and the bytes they took; nil while the section is not complete.
    /// - Throws: what the level does not tolerate, or `.limitExceeded` for the number of lines.
    mutating func readTrailersTolerantly(
        _ bytes: Span<UInt8>,
        at offset: Int
    ) throws(WireError) -> (count: Int, storage: FieldStorage)? {
        var reader = tolerantTrailers.taken ?? TolerantFieldReader(.trailers, from: 0)
        // Let go of the copy here, or every line would copy the fields before it.
        tolerantTrailers = .none
        lines.log.base = offset
        let isComplete = try reader.read(
            bytes,
            maxFields: limits.trailerCount,
            limit: .trailerCount(limits.trailerCount),
            log: &lines.log
        )
        guard isComplete else {
            tolerantTrailers = .reading(reader)
            return nil
        }
        return (reader.position, reader.storage(of: bytes))
    }

    /// Reports each field that no trailer section may hold, at ``Strictness/forensic``.
    ///
    /// - Parameters:
    ///   - storage: the section.
    ///   - offset: bytes of the body before it.
    mutating func recordForbiddenTrailers(in storage: FieldStorage, at offset: Int) {
        guard lines.log.strictness == .forensic else { return }
        var index = TrailerRules.firstForbidden(in: storage)
        while let found = index {
            let name = storage[found].name
            let start = offset &+ name.lowerBound
            lines.log.record(.forbiddenTrailer, start..<start &+ name.count)
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
