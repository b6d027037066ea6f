/// Settles, for each deviation a reader meets, whether the level takes it, and keeps a note.
struct DiagnosticLog: Sendable {
    let strictness: Strictness
    /// Kept at most; one more says that there were others.
    private let maxCount: Int
    private(set) var entries: [Diagnostic] = []
    /// Whether there was one after which readers disagree about where lines begin and end.
    private(set) var hasAmbiguousLines = false
    /// Bytes before the first that the reader counts from.
    var base = 0

    init(_ strictness: Strictness, limits: WireLimits) {
        self.strictness = strictness
        maxCount = max(limits.diagnosticCount, 0)
    }

    /// Notes a deviation, or refuses it.
    ///
    /// - Parameters:
    ///   - code: which rule was broken.
    ///   - range: where, counted from the reader's first byte.
    ///   - error: what to throw when the level does not tolerate it.
    ///   - level: the first level that does; by default the one of the code.
    /// - Throws: `error`.
    mutating func tolerate(
        _ code: Diagnostic.Code,
        _ range: Range<Int>,
        else error: WireError,
        from level: Strictness? = nil
    ) throws(WireError) {
        let start = base &+ range.lowerBound
        try tolerate(code, at: start..<start &+ range.count, else: error, from: level)
    }

    /// As above, for a range that does not count from the reader's first byte.
    mutating func tolerate(
        _ code: Diagnostic.Code,
        at range: Range<Int>,
        else error: WireError,
        from level: Strictness? = nil
    ) throws(WireError) {
        guard strictness >= level ?? code.level else { throw error }
        record(code, range)
    }

    mutating func record(_ code: Diagnostic.Code, _ range: Range<Int>) {
        switch code {
        case .bareLineFeed, .bareCarriageReturn, .foldedLine: hasAmbiguousLines = true
        default: break
        }
        if entries.count < maxCount {
            entries.append(Diagnostic(code, at: range))
        } else if entries.count == maxCount {
            entries.append(Diagnostic(.furtherDeviations, at: range))
        }
    }
}
