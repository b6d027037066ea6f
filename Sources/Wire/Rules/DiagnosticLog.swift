/// A log of deviations, which also decides whether the strictness level tolerates each one.
package struct DiagnosticLog: Sendable {
    let strictness: Strictness
    /// The maximum number of entries, not counting the final entry for omitted ones.
    private let maxCount: Int
    package private(set) var entries: [Diagnostic] = []
    /// Whether a deviation occurred after which readers disagree about the end of a line or of the section.
    private(set) var hasAmbiguousLines = false
    /// The number of bytes before the first byte of the reader.
    var base = 0

    package init(_ strictness: Strictness, limits: WireLimits) {
        self.strictness = strictness
        maxCount = max(limits.diagnosticCount, 0)
    }

    /// Records a deviation, or rejects it.
    ///
    /// - Parameters:
    ///   - code: the rule that was broken.
    ///   - range: the position, counted from the reader's first byte.
    ///   - error: the error to throw if the level does not tolerate the deviation.
    ///   - level: the first level that tolerates it; by default the level of the code.
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

    /// Records a deviation, or rejects it, with a range that does not depend on `base`.
    mutating func tolerate(
        _ code: Diagnostic.Code,
        at range: Range<Int>,
        else error: WireError,
        from level: Strictness? = nil
    ) throws(WireError) {
        guard strictness >= level ?? code.level else { throw error }
        record(code, range)
    }

    package mutating func record(_ code: Diagnostic.Code, _ range: Range<Int>) {
        switch code {
        case .bareLineFeed, .bareCarriageReturn, .foldedLine: hasAmbiguousLines = true
        // Some readers, such as Python's, end the section at a line that is no field.
        case .leadingWhitespace, .missingColon, .emptyFieldName, .spaceBeforeColon,
            .malformedFieldName:
            hasAmbiguousLines = true
        default: break
        }
        if entries.count < maxCount {
            entries.append(Diagnostic(code, at: range))
        } else if entries.count == maxCount {
            entries.append(Diagnostic(.furtherDeviations, at: range))
        }
    }
}
