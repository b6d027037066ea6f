/// The state of a transfer, with everything that a drawing shows.
package struct ProgressSnapshot: Sendable, Hashable {
    /// One direction of a transfer.
    package struct Direction: Sendable, Hashable {
        /// The bytes that have been transferred.
        package var transferred: Int
        /// The bytes to transfer in total; nil when unknown.
        package var total: Int?

        package init(transferred: Int = 0, total: Int? = nil) {
            self.transferred = transferred
            self.total = total
        }
    }

    /// The download.
    package var download: Direction
    /// The upload; zero of zero bytes without content.
    package var upload: Direction
    /// The bytes that the file had before the transfer.
    package var resumedOffset: Int
    /// The time since the transfer began.
    package var elapsed: Duration
    /// The recent speed of both directions together, in bytes per second.
    package var speed: Int
    /// Whether the transfer is over.
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

    /// The direction that the bar shows: the upload until the response has content.
    package var direction: Direction {
        let hasAnswer = download.transferred > 0 || download.total ?? 0 > 0
        return !hasAnswer && upload != Direction(total: 0) ? upload : download
    }

    /// Returns the ratio of `part` to `whole`, times `scale`, rounded down.
    ///
    /// For an empty `whole` it is `scale`.
    package static func fraction(_ part: Int, of whole: Int, scale: Int) -> Int {
        guard part < whole else { return scale }
        let product = part.multipliedFullWidth(by: scale)
        return whole.dividingFullWidth((high: product.high, low: product.low)).quotient
    }

    /// Returns the sum of two non-negative numbers, or the greatest number on overflow.
    static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        return isTooLarge ? .max : sum
    }

    /// Returns the bytes per second.
    package static func rate(_ bytes: Int, in time: Duration) -> Int {
        let (seconds, attoseconds) = time.components
        let exact = Double(seconds) + Double(attoseconds) * 1e-18
        return exact > 0 ? Int(min(Double(bytes) / exact, 9e18)) : 0
    }
}
