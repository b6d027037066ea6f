import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests the channel between the task that produces a body and the loop that sends it.
@Suite(.timeLimit(.minutes(10))) struct UploadChannelTests {
    private final class CallCounter: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }
        func increment() { count.withLock { $0 += 1 } }
    }

    private func piece(_ channel: UploadChannel) -> [UInt8]? {
        if case .piece(let bytes) = channel.take() { bytes } else { nil }
    }

    @Test func `small pieces are joined, and large ones are passed on`() async throws {
        let channel = UploadChannel {}
        for byte in 0..<3 as Range<UInt8> { try await channel.send([byte]) }
        let large = [UInt8](repeating: 9, count: 100_000)
        try await channel.send(large)
        try await channel.send([])
        try await channel.send([3])
        channel.finish()
        #expect(piece(channel) == [0, 1, 2])
        #expect(piece(channel) == large)
        #expect(piece(channel) == [3])
        guard case .end = channel.take() else {
            Issue.record("expected the end")
            return
        }
    }

    @Test func `a producer waits while the channel is full`() async throws {
        let channel = UploadChannel {}
        let size = 64 << 10
        let made = CallCounter()
        let producer = Task {
            for _ in 0..<10 {
                try await channel.send([UInt8](repeating: 1, count: size))
                made.increment()
            }
            channel.finish()
        }
        let room = UploadChannel.capacity / size
        // The channel contains the last piece that fits, and its producer waits.
        while made.value < room - 1 { await moment() }
        for _ in 0..<1000 { await Task.yield() }
        #expect(made.value == room - 1)
        var bytes = 0
        while true {
            switch channel.take() {
            case .piece(let piece):
                bytes += piece.count
                continue
            case .file: Issue.record("no file was sent")
            case .nothing:
                await Task.yield()
                continue
            case .end: break
            case .failed(let error): Issue.record(error)
            }
            break
        }
        #expect(bytes == 10 * size)
        try await producer.value
    }

    @Test func `a producer continues when the loop takes a region of a file`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("", as: "a")
        let file = try FileReader(path: path)
        let channel = UploadChannel {}
        let made = CallCounter()
        let producer = Task {
            try await channel.send([1])
            for start in 0..<2 {
                try await channel.send(FileRegion(file, path: path, start..<1 << 30))
                made.increment()
            }
            try await channel.send([2])
            channel.finish()
        }
        while true {
            if piece(channel) == [1] { break }
            await Task.yield()
        }
        for start in 0..<2 {
            var region: FileRegion?
            while region == nil {
                #expect(made.value == start)
                if case .file(let next) = channel.take() { region = next }
                await Task.yield()
            }
            #expect(region?.offset == start && region?.count == (1 << 30) - start)
            while made.value == start { await moment() }
        }
        try await producer.value
        #expect(piece(channel) == [2])
    }

    @Test func `a producer wakes the loop once after the loop found the channel empty`()
        async throws
    {
        let calls = CallCounter()
        let channel = UploadChannel { calls.increment() }
        try await channel.send([1])
        #expect(calls.value == 0)
        _ = channel.take()
        guard case .nothing = channel.take() else {
            Issue.record("expected a piece")
            return
        }
        try await channel.send([1])
        try await channel.send([2])
        #expect(calls.value == 1)
        _ = channel.take()
        _ = channel.take()
        channel.finish()
        channel.finish()
        #expect(calls.value == 2)
    }

    @Test func `closing the channel ends a waiting producer and a later one`() async {
        let channel = UploadChannel {}
        let producer = Task { try await channel.send([UInt8](repeating: 1, count: 1 << 20)) }
        while piece(channel) == nil { await moment() }
        let other = UploadChannel {}
        let waiting = Task { try await other.send([UInt8](repeating: 1, count: 1 << 20)) }
        await Task.yield()
        other.close()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) { try await other.send([1]) }
        other.finish()
        guard case .failed = other.take() else {
            Issue.record("expected an error in place of the end")
            return
        }
        #expect((try? await producer.value) != nil)
    }

    private struct TestError: Error {}

    @Test func `an error takes precedence over the buffered pieces`() async throws {
        let channel = UploadChannel {}
        try await channel.send([1])
        channel.fail(TestError())
        guard case .failed(let error) = channel.take() else {
            Issue.record("expected the error")
            return
        }
        #expect(error is TestError)
    }
}
