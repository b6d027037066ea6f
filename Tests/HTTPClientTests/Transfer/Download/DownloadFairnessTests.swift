import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests that simultaneous downloads get equal shares.
@Suite(.timeLimit(.minutes(10))) struct DownloadFairnessTests {
    /// The bytes of each download, counted from the time when all have begun.
    private final class Shares: Sendable {
        private struct State {
            var counts: [Int]
            /// The counts when the slowest download had received 1 MiB; nil before.
            var begin: [Int]?
            var isOver = false
        }

        private let state: Locked<State>

        init(_ count: Int) {
            state = Locked(State(counts: Array(repeating: 0, count: count)))
        }

        /// Counts bytes of a download.
        ///
        /// - Returns: whether it continues; all end when the fastest has received 16 MiB.
        func add(_ bytes: Int, to download: Int) -> Bool {
            state.withLock { state in
                guard !state.isOver else { return false }
                state.counts[download] += bytes
                if let begin = state.begin {
                    state.isOver = state.counts[download] - begin[download] >= 16 << 20
                } else if state.counts.allSatisfy({ $0 >= 1 << 20 }) {
                    state.begin = state.counts
                }
                return true
            }
        }

        /// The bytes of the slowest and of the fastest download.
        var extremes: (least: Int, most: Int)? {
            state.withLock { state in
                guard let begin = state.begin else { return nil }
                let received = zip(state.counts, begin).map { $0 - $1 }
                guard let least = received.min(), let most = received.max() else { return nil }
                return (least, most)
            }
        }
    }

    /// Receives a body that is only counted, so that no disk decides who is faster.
    private func receive(
        _ response: HTTPStreamedResponse,
        _ download: Int,
        _ shares: Shares,
        on threads: FileThreads
    ) -> Task<Void, Never> {
        Task(executorPreference: threads) {
            let transfer = FileTransfer()
            var isOver = false
            do {
                while !isOver, case .bytes = try await response.next(into: transfer) {
                    try transfer.write { pipe throws(Errno) in
                        let count = pipe.count
                        try discard(pipe)
                        isOver = !shares.add(count, to: download)
                    } orBytes: { bytes throws(Errno) in
                        isOver = !shares.add(bytes.count, to: download)
                    }
                }
            } catch {
                Issue.record("\(error)")
            }
            response.cancel()
        }
    }

    private func discard(_ pipe: TransferPipe) throws(Errno) {
        try DiscardedFiles().write(pipe, at: 0)
    }

    /// Downloads a hundred bodies at the same time, and returns the bytes of the slowest and of the fastest.
    private func measure() async throws -> (least: Int, most: Int) {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(1 << 40)\r\n\r\n"
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        // Each connection always has more bytes, so that only the client decides.
        let origin = try ScriptedOrigin { _ in [.expectHead, .reply(head), .replyForever(piece)] }
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 100
        let client = HTTPClient(configuration)
        let threads = FileThreads()
        defer { threads.stop() }
        var responses: [HTTPStreamedResponse] = []
        for _ in 0..<100 { responses.append(try await client.stream(origin.url)) }
        let shares = Shares(responses.count)
        let tasks = responses.enumerated().map { receive($1, $0, shares, on: threads) }
        for task in tasks { await task.value }
        return try #require(shares.extremes)
    }

    @Test func `a hundred downloads have equal shares when the fastest has 16 MiB`() async throws {
        var (least, most) = try await measure()
        // On a busy machine, the threads of the origin may not get equal shares of the processors.
        for _ in 0..<2 where least * 10 < most * 9 { (least, most) = try await measure() }
        #expect(least * 10 >= most * 9, "\(least) to \(most)")
    }
}

/// Files that discard their bytes.
private final class DiscardedFiles: DownloadFiles {
    func write(_ pipe: TransferPipe, at offset: Int) throws(Errno) { try copy(pipe, at: offset) }
    func write(_ extent: FileExtent, at offset: Int) throws(FileExtent.CopyError) {
        try copy(extent, at: offset)
    }

    let path = "discarded"
    let inode: UInt64 = 1
    let size = 0
    func write(_ bytes: [UInt8], at offset: Int) {}
    func read(_ count: Int, at offset: Int) -> [UInt8] { [] }
    func truncate(to size: Int) {}
    func preallocate(_ size: Int) {}
    func flush() {}
    func move(to target: String, existing: ExistingTarget) {}
    func flushDirectory(of path: String) {}
    func remove() {}
    func release() {}
    let hasJournal = false
    func stampIdentity() -> FileIdentity { FileIdentity(inode: 1, modified: 0) }
    func readJournal() -> [UInt8]? { nil }
    func writeJournal(_ text: [UInt8], _ durability: JournalDurability) {}
    func removeJournal(_ durability: JournalDurability) {}
}
