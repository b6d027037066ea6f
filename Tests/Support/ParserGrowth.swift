internal import Glibc

/// A parser of bytes from a peer, with a check that its work grows no faster than the input.
///
/// The parser reads one long text, and several short ones that have the same length together. If its work is
/// linear, both take as long; if it is quadratic, the long one takes eight times as long. No time is compared with a
/// constant. Only the processor time of the own thread counts, and noise can only make a time longer, so the
/// least of several measurements is used. A disturbance can last longer than a few of them, so a parser is reported
/// only after many.
package struct ParserGrowth: Sendable, CustomStringConvertible {
    private let name: String
    private let frames: [String]
    private let pieces: [String]
    private let parse: @Sendable (String) -> Void

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - name: the name of the parser.
    ///   - frames: the texts around the pieces, in which "…" is their place.
    ///   - pieces: the texts to repeat; see ``HostileText``.
    ///   - parse: a closure that parses a text and discards the result.
    package init(
        _ name: String,
        _ frames: [String] = ["…"],
        of pieces: [String] = HostileText.fieldPieces,
        _ parse: @escaping @Sendable (String) -> Void
    ) {
        self.name = name
        self.frames = frames
        self.pieces = pieces
        self.parse = parse
    }

    package var description: String { name }

    /// Returns the texts for which the work grows faster than their length, with the measured ratio.
    ///
    /// - Parameters:
    ///   - shortLength: the number of bytes of a short text.
    ///   - minRounds: the number of measurements before a parser counts as linear. After only one, noise during the
    ///     short texts can hide a quadratic parser.
    package func superlinearTexts(shortLength: Int = 512, minRounds: Int = 1) -> [String] {
        var found: [String] = []
        for frame in frames {
            for piece in pieces {
                let family = HostileText(frame, of: piece)
                let ratio = growth(
                    short: family.text(shortLength),
                    long: family.text(shortLength * Self.factor),
                    minRounds
                )
                if ratio > Self.maxRatio { found.append("\(family): \(ratio)") }
            }
        }
        return found
    }

    /// Returns the time of the long text as a multiple of the time of all short ones.
    private func growth(short: String, long: String, _ minRounds: Int) -> Double {
        var (least, leastLong) = (Int.max, Int.max)
        var ratio = Double.infinity
        for round in 1...Self.maxRounds {
            least = min(least, time { for _ in 0..<Self.factor { parse(short) } })
            leastLong = min(leastLong, time { parse(long) })
            // Both also have a constant cost, which would be all of a very short time.
            ratio = Double(leastLong) / Double(least + Self.constantNanoseconds)
            // Few rounds are enough for most linear parsers. A longer search for one good ratio would also find one
            // for a quadratic parser; the last round has the least of all times, and so the true ratio.
            if minRounds...max(minRounds, Self.fewRounds) ~= round, ratio <= Self.maxRatio { break }
            // Another thread that wants this core runs now, and not during the next measurement.
            sched_yield()
        }
        return ratio
    }

    /// Returns the processor time of this thread, in nanoseconds.
    private func time(_ body: () -> Void) -> Int {
        let start = Self.processorTime()
        body()
        return Self.processorTime() - start
    }

    private static func processorTime() -> Int {
        var time = timespec()
        // SAFETY: the call writes the one structure that it is passed.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// The number of short texts that are as long as the long one.
    private static let factor = 8
    /// The greatest ratio of a linear parser: 1, plus the costs of larger arrays and of cache misses.
    ///
    /// The ratio of a quadratic one is 8.
    private static let maxRatio = 4.0
    private static let fewRounds = 5
    private static let maxRounds = 50
    private static let constantNanoseconds = 20_000
}
