import SocketTransport

/// A sequence of equal pieces that counts how many were taken and reports when its iterator is released.
struct WatchedPieces: AsyncSequence, Sendable {
    /// What happens after the last piece.
    enum End: Sendable {
        case end
        case error(any Error)
        /// Waits until canceled.
        case silence
    }

    let piece: [UInt8]
    let count: Int
    var end = End.end
    private let taken: TakenCount
    private let releases: AsyncStream<Void>
    private let releaseContinuation: AsyncStream<Void>.Continuation

    init(_ piece: [UInt8], _ count: Int = .max, then end: End = .end) {
        self.piece = piece
        self.count = count
        self.end = end
        taken = TakenCount()
        (releases, releaseContinuation) = AsyncStream.makeStream()
    }

    /// The number of pieces taken so far.
    var takenCount: Int { taken.count.withLock { $0 } }

    /// Returns when an iterator has been released.
    func iteratorReleased() async {
        for await _ in releases { return }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(piece, count, end, taken, releaseContinuation)
    }

    final class TakenCount: Sendable {
        let count = Locked(0)
    }

    final class Iterator: AsyncIteratorProtocol {
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

        func next() async throws -> [UInt8]? {
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
