extension ChunkedDecoder {
    /// The deviations tolerated in the body so far, including trailers, in order of occurrence.
    ///
    /// Offsets count from the first byte of the chunked body. Empty below ``Strictness/forensic``.
    public var diagnostics: [Diagnostic] { lines.log.entries }

    /// Continues to read a trailer section that the strict reader rejected.
    ///
    /// - Parameters:
    ///   - bytes: the section, from its first byte.
    ///   - offset: the number of body bytes before the section.
    /// - Returns: the trailers and their length in bytes, or nil while the section is incomplete.
    /// - Throws: an error for a deviation that the level does not tolerate, or `.limitExceeded` for
    ///   too many lines.
    mutating func readTrailersTolerantly(
        _ bytes: Span<UInt8>,
        at offset: Int
    ) throws(WireError) -> (count: Int, storage: FieldStorage)? {
        var reader = tolerantTrailers.taken ?? TolerantFieldReader(.trailers, from: 0)
        // Release the stored copy here. Otherwise every line would copy the fields before it.
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

    /// Reports each field that a trailer section must not contain, at ``Strictness/forensic``.
    ///
    /// - Parameters:
    ///   - storage: the section.
    ///   - offset: the number of body bytes before the section.
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

    /// The state of a tolerant trailer reader, stored indirectly so that it is one pointer when
    /// unused.
    indirect enum TolerantTrailers: Sendable {
        case none
        case reading(TolerantFieldReader)

        var taken: TolerantFieldReader? {
            if case .reading(let reader) = self { return reader }
            return nil
        }
    }
}
