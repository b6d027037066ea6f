/// Holds how far a transfer is: all that a drawing shows.
package struct ProgressSnapshot: Sendable, Hashable {
    /// One direction of a transfer.
    package struct Direction: Sendable, Hashable {
        /// Bytes that have transferred.
        package var transferred: Int
        /// Bytes that are to move; nil when nobody has said.
        package var total: Int?

        package init(transferred: Int = 0, total: Int? = nil) {
            self.transferred = transferred
            self.total = total
        }
    }

    /// What comes.
    package var download: Direction
    /// What goes out; nothing of nothing without content.
    package var upload: Direction
    /// Bytes that were there before.
    package var resumedOffset: Int
    /// Since the transfer began.
    package var elapsed: Duration
    /// Bytes a second, lately and in both directions.
    package var speed: Int
    /// Whether nothing moves any more.
    package var isFinished: Bool

    package init(
        download: Direction = Direction(),
        upload: Direction = Direction(total: 0),
        resumedOffset: Int = 0,
        elapsed: Duration = .zero,
        speed: Int = 0,
        isFinished: Bool = false
    ) {
        self.download = download
        self.upload = upload
        self.resumedOffset = resumedOffset
        self.elapsed = elapsed
        self.speed = speed
        self.isFinished = isFinished
    }

    /// The direction that is worth a bar: up, until something comes back.
    package var direction: Direction {
        let hasAnswer = download.transferred > 0 || download.total ?? 0 > 0
        return !hasAnswer && upload != Direction(total: 0) ? upload : download
    }

    /// How much of `whole` is `part`, in parts of `scale`, rounded down; all of nothing is all.
    package static func fraction(_ part: Int, of whole: Int, scale: Int) -> Int {
        guard part < whole else { return scale }
        let product = part.multipliedFullWidth(by: scale)
        return whole.dividingFullWidth((high: product.high, low: product.low)).quotient
    }

    /// The sum of two numbers that are not negative, or the greatest number.
    static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        return isTooLarge ? .max : sum
    }

    /// Bytes a second.
    package static func rate(_ bytes: Int, in time: Duration) -> Int {
        let (seconds, attoseconds) = time.components
        let exact = Double(seconds) + Double(attoseconds) * 1e-18
        return exact > 0 ? Int(min(Double(bytes) / exact, 9e18)) : 0
    }
}
