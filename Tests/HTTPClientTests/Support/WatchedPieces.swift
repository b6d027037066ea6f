import SocketTransport

/// A sequence of equal pieces that counts how many were taken and reports when its iterator is released.
package struct WatchedPieces: AsyncSequence, Sendable {
    /// What happens after the last piece.
    package enum End: Sendable {
        case end
        case error(any Error)
        /// Waits until canceled.
        case silence
    }

    package let piece: [UInt8]
    package let count: Int
    package var end = End.end
    private let taken: TakenCount
    private let releases: AsyncStream<Void>
    private let releaseContinuation: AsyncStream<Void>.Continuation

    package init(_ piece: [UInt8], _ count: Int = .max, then end: End = .end) {
        self.piece = piece
        self.count = count
        self.end = end
        taken = TakenCount()
        (releases, releaseContinuation) = AsyncStream.makeStream()
    }

    /// The number of pieces taken so far.
    package var takenCount: Int { taken.count.withLock { $0 } }

    /// Returns when an iterator has been released.
    package func iteratorReleased() async {
        for await _ in releases { return }
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(piece, count, end, taken, releaseContinuation)
    }

    final class TakenCount: Sendable {
        package let count = Locked(0)
    }

    package final class Iterator: AsyncIteratorProtocol {
        private let piece: [UInt8]
        private var left: Int
        private let end: End
        private let taken: TakenCount
        private let releaseContinuation: AsyncStream<Void>.Continuation

        init(
            _ piece: [UInt8],
            _ count: Int,
            _ end: End,
            _ taken: TakenCount,
            _ releaseContinuation: AsyncStream<Void>.Continuation
        ) {
            self.piece = piece
            left = count
            self.end = end
            self.taken = taken
            self.releaseContinuation = releaseContinuation
        }

        deinit { releaseContinuation.yield() }

        package func next() async throws -> [UInt8]? {
            guard left > 0 else {
                switch end {
                case .end: return nil
                case .error(let error): throw error
                case .silence:
                    try await Task.sleep(for: .seconds(3600))
                    return nil
                }
            }
            left -= 1
            taken.count.withLock { $0 += 1 }
            return piece
        }
    }
}
