/// Holds how far a transfer is: all that a drawing shows.
package struct ProgressFigures: Sendable, Hashable {
    /// One direction of a transfer.
    package struct Lane: Sendable, Hashable {
        /// Octets that have moved.
        package var moved: Int
        /// Octets that are to move; nil when nobody has said.
        package var total: Int?

        package init(moved: Int = 0, total: Int? = nil) {
            self.moved = moved
            self.total = total
        }
    }

    /// What comes.
    package var download: Lane
    /// What goes out; nothing of nothing without content.
    package var upload: Lane
    /// Octets that were there before.
    package var resumedOffset: Int
    /// Since the transfer began.
    package var elapsed: Duration
    /// Octets a second, lately and in both directions.
    package var speed: Int
    /// Whether nothing moves any more.
    package var isOver: Bool

    package init(
        download: Lane = Lane(),
        upload: Lane = Lane(total: 0),
        resumedOffset: Int = 0,
        elapsed: Duration = .zero,
        speed: Int = 0,
        isOver: Bool = false
    ) {
        self.download = download
        self.upload = upload
        self.resumedOffset = resumedOffset
        self.elapsed = elapsed
        self.speed = speed
        self.isOver = isOver
    }

    /// The direction that is worth a bar: up, until something comes back.
    package var lane: Lane {
        let hasAnswer = download.moved > 0 || download.total ?? 0 > 0
        return !hasAnswer && upload != Lane(total: 0) ? upload : download
    }

    /// How much of `whole` is `part`, in parts of `scale`, rounded down; all of nothing is all.
    package static func share(_ part: Int, of whole: Int, scale: Int) -> Int {
        guard part < whole else { return scale }
        let product = part.multipliedFullWidth(by: scale)
        return whole.dividingFullWidth((high: product.high, low: product.low)).quotient
    }

    /// The sum of two numbers that are not negative, or the greatest number.
    static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        return isTooLarge ? .max : sum
    }

    /// Octets a second.
    package static func rate(_ octets: Int, in time: Duration) -> Int {
        let (seconds, attoseconds) = time.components
        let exact = Double(seconds) + Double(attoseconds) * 1e-18
        return exact > 0 ? Int(min(Double(octets) / exact, 9e18)) : 0
    }
}
