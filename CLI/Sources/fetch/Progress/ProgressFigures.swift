/// Holds how far a transfer is: all that a drawing shows.
package struct ProgressFigures: Sendable, Hashable {
    /// One direction of a transfer.
    package struct Lane: Sendable, Hashable {
        /// Octets that have moved.
        package var moved: UInt64
        /// Octets that are to move; nil when nobody has said.
        package var total: UInt64?

        package init(moved: UInt64 = 0, total: UInt64? = nil) {
            self.moved = moved
            self.total = total
        }
    }

    /// What comes.
    package var download: Lane
    /// What goes out; nothing of nothing without content.
    package var upload: Lane
    /// Octets that were there before.
    package var resumedOffset: UInt64
    /// Since the transfer began.
    package var elapsed: Duration
    /// Octets a second, lately and in both directions.
    package var speed: UInt64
    /// Whether nothing moves any more.
    package var isOver: Bool

    package init(
        download: Lane = Lane(),
        upload: Lane = Lane(total: 0),
        resumedOffset: UInt64 = 0,
        elapsed: Duration = .zero,
        speed: UInt64 = 0,
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
    package static func share(_ part: UInt64, of whole: UInt64, scale: UInt64) -> UInt64 {
        guard part < whole else { return scale }
        let product = part.multipliedFullWidth(by: scale)
        return whole.dividingFullWidth((high: product.high, low: product.low)).quotient
    }

    /// Octets a second.
    package static func rate(_ octets: UInt64, in time: Duration) -> UInt64 {
        let (seconds, attoseconds) = time.components
        let exact = Double(seconds) + Double(attoseconds) * 1e-18
        return exact > 0 ? UInt64(min(Double(octets) / exact, 9e18)) : 0
    }
}
