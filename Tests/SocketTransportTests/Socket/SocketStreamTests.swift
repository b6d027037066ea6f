import Glibc
import SocketTransport
import Support
import Testing

/// Tests the transfers of a socket that do not pass through the memory of the process.
@Suite(.timeLimit(.minutes(10))) struct SocketStreamTests {
    /// Runs `body` on a loop with two connected streams.
    private func withPair(
        _ body: @escaping @Sendable (SocketStream, SocketStream) throws -> Void
    ) throws {
        try withPairAndLoop { near, far, _ in try body(near, far) }
    }

    /// Runs `body` on a loop with two connected streams, and passes the loop.
    private func withPairAndLoop(
        _ body: @escaping @Sendable (SocketStream, SocketStream, EventLoop) async throws -> Void
    ) throws {
        let loop = EventLoop.callerDriven()
        defer { loop.stop() }
        let failure = try loop.drive { () -> (any Error)? in
            do {
                let (near, far) = try SocketStream.pair(on: loop)
                defer {
                    near.close()
                    far.close()
                }
                try await body(near, far, loop)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    @Test func `a range of a file is sent, up to its end`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("0123456789", as: "a")
        let file = try FileReader(path: path)
        try withPair { (near, far) throws in
            #expect(try near.send(file, from: 3, 4) == .bytes(4))
            #expect(try near.send(file, from: 8, 100) == .bytes(2))
            #expect(try near.send(file, from: 10, 1) == .endOfFile)
            var bytes = [UInt8](repeating: 0, count: 20)
            var span = bytes.mutableSpan
            #expect(try far.receive(into: &span) == .bytes(6))
            #expect(bytes.prefix(6).elementsEqual("345689".utf8))
        }
    }

    @Test func `a full socket accepts no part of a file until it is read`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([UInt8](repeating: 7, count: 4 << 20), as: "a")
        let file = try FileReader(path: path)
        try withPair { (near, far) throws in
            var sent = 0
            while case .bytes(let count) = try near.send(file, from: sent, (4 << 20) - sent) {
                sent += count
            }
            #expect(sent > 0 && sent < 4 << 20)
            #expect(try near.send(file, from: sent, 1) == .wouldBlock)
            var bytes = [UInt8](repeating: 0, count: 4 << 20)
            var span = bytes.mutableSpan
            guard case .bytes = try far.receive(into: &span) else {
                Issue.record("expected bytes")
                return
            }
            guard case .bytes = try near.send(file, from: sent, 1) else {
                Issue.record("expected room")
                return
            }
        }
    }

    @Test func `sending a file to a closed peer throws and raises no signal`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("0123456789", as: "a")
        let file = try FileReader(path: path)
        try withPair { (near, far) throws in
            far.close()
            #expect(throws: TransportError.closedByPeer(.brokenPipe)) {
                try near.send(file, from: 0, 10)
            }
        }
    }

    @Test func `a signal that was pending before is kept`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("0123456789", as: "a")
        let file = try FileReader(path: path)
        // On its own thread, because the mask and the pending signals belong to a thread.
        let isKept = Locked(false)
        let worker = try WorkerThread {
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
            pthread_kill(pthread_self(), SIGPIPE)
            try? withPair { (near, far) throws in
                far.close()
                _ = try? near.send(file, from: 0, 10)
            }
            var pending = sigset_t()
            unsafe sigpending(&pending)
            let isPending = unsafe sigismember(&pending, SIGPIPE) == 1
            isKept.withLock { $0 = isPending }
            var signal: Int32 = 0
            unsafe sigwait(&signals, &signal)
        }
        worker.join()
        #expect(isKept.withLock { $0 })
    }

    @Test func `loading a range leaves its pages in the cache and tolerates its end`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([UInt8](repeating: 1, count: 300_000), as: "a")
        let file = try FileReader(path: path)
        try file.load(0..<300_000)
        try file.load(7..<8)
        // Ranges beyond the end have no pages.
        try file.load(299_999..<1_000_000)
        try file.load(5..<5)
    }

    // MARK: - Events

    /// Runs `body` on a loop with two connected streams, the near one with one-shot events.
    private func withOneShotPair(
        _ body: @escaping @Sendable (SocketStream, SocketStream, EventLoop) async throws -> Void
    ) throws {
        try withPairAndLoop { near, far, loop in
            near.beginOneShotEvents()
            try await body(near, far, loop)
        }
    }

    /// Waits until the loop has reported all events so far.
    private nonisolated(nonsending) func poll(_ loop: EventLoop) async {
        await waitUntil(.now().advanced(by: .milliseconds(1)), on: loop)
    }

    @Test func `bytes between waits are not reported, and end the next wait`() throws {
        try withOneShotPair { near, far, loop in
            for count in 1...3 {
                #expect(try far.send([UInt8](repeating: 1, count: count).span) == count)
                await poll(loop)
                #expect(near.wasDrained)
                #expect(near.mayHaveUnreadInput)
                try await near.wait(for: .readable, until: .now().advanced(by: .seconds(30)))
                #expect(!near.wasDrained)
                var bytes = [UInt8](repeating: 0, count: 10)
                var span = bytes.mutableSpan
                #expect(try near.receive(into: &span) == .bytes(count))
            }
        }
    }

    @Test func `each wait has the events it waits for`() throws {
        try withOneShotPair { near, far, loop in
            let soon = { Deadline.now().advanced(by: .milliseconds(5)) }
            await #expect(throws: TransportError.timedOut(.read)) {
                try await near.wait(for: .readable, until: soon())
            }
            let block = [UInt8](repeating: 1, count: 1 << 16)
            while try near.send(block.span) > 0 {}
            #expect(try far.send(block.span) > 0)
            await #expect(throws: TransportError.timedOut(.write)) {
                try await near.wait(for: .writable, until: soon())
            }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            var span = bytes.mutableSpan
            while case .bytes = try far.receive(into: &span) {}
            try await near.wait(for: .writable, until: .now().advanced(by: .seconds(30)))
            #expect(try near.send(block.span) > 0)
            far.close()
            guard case .bytes = try near.receive(into: &span) else {
                Issue.record("expected bytes")
                return
            }
            try await near.wait(for: .readable, until: .now().advanced(by: .seconds(30)))
        }
    }

    @Test func `a stream that asks for every event again gets those it missed`() throws {
        try withOneShotPair { near, far, loop in
            let calls = Locked(0)
            near.setIdleHandler { calls.withLock { $0 += 1 } }
            far.closeWrite()
            await poll(loop)
            #expect(calls.withLock { $0 } == 0)
            try near.endOneShotEvents()
            #expect(!near.hasNoPendingInput)
            await poll(loop)
            #expect(calls.withLock { $0 } == 1)
        }
    }

    @Test func `a stream that asks for every event again may have input`() throws {
        try withOneShotPair { near, far, _ in
            #expect(try far.send([1].span) == 1)
            #expect(near.wasDrained)
            try near.endOneShotEvents()
            #expect(!near.wasDrained)
        }
    }

    // MARK: - Pipes

    @Test func `bytes go through a pipe into a file, at its offset`() throws {
        let directory = try TemporaryDirectory()
        let file = try OutputFile.create(beside: directory.path + "/a")
        let pipe = try TransferPipe()
        try withPair { (near, far) throws in
            #expect(try near.receive(into: pipe, 100) == .wouldBlock)
            #expect(try far.send(Array("0123456789".utf8).span) == 10)
            #expect(try near.receive(into: pipe, 4) == .bytes(4))
            #expect(try near.receive(into: pipe, 100) == .bytes(6))
            #expect(pipe.count == 10)
            #expect(try near.receive(into: pipe, 100) == .wouldBlock)
            try file.write(pipe, at: 2)
            #expect(pipe.count == 0)
            far.close()
            #expect(try near.receive(into: pipe, 100) == .end)
        }
        #expect(TestFileSystem.contents(of: file.path) == [0, 0] + Array("0123456789".utf8))
    }

    @Test func `a full pipe leaves the rest in a socket that stays readable`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a"
        try withPairAndLoop { near, far, _ in
            let pipe = try TransferPipe()
            let file = try OutputFile.create(beside: path)
            var value: UInt8 = 0
            var written = 0
            var outcome = PipeReceiveOutcome.wouldBlock
            while outcome != .full {
                // Single bytes take up a page of the pipe each.
                while try far.send([value].span) == 1, value % 16 != 15 { value &+= 1 }
                value &+= 1
                outcome = try near.receive(into: pipe, 1 << 20)
            }
            let first = pipe.count
            #expect(try near.receive(into: pipe, 1 << 20) == .full)
            // The wait returns at once.
            try await near.wait(for: .readable, until: .never)
            try file.write(pipe, at: 0)
            written += first
            guard case .bytes(let count) = try near.receive(into: pipe, 1 << 20) else {
                Issue.record("expected bytes")
                return
            }
            try file.write(pipe, at: written)
            written += count
            #expect(try near.receive(into: pipe, 1) == .wouldBlock)
            let expected = (0..<written).map { UInt8(truncatingIfNeeded: $0) }
            #expect(TestFileSystem.contents(of: file.path) == expected)
        }
    }

    @Test func `a file that splice cannot write is written from memory`() throws {
        let directory = try TemporaryDirectory()
        let file = try OutputFile.create(beside: directory.path + "/a")
        // The kernel refuses splice to such a file (EINVAL).
        DescriptorCount.add(O_APPEND, toFile: file.path)
        let pipe = try TransferPipe()
        let bytes = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        try withPair { (near, far) throws in
            #expect(try far.send(bytes.span) == bytes.count)
            var moved = 0
            while case .bytes(let count) = try near.receive(into: pipe, bytes.count) {
                moved += count
            }
            #expect(moved == bytes.count)
            try file.write(pipe, at: 0)
        }
        #expect(TestFileSystem.contents(of: file.path) == bytes)
    }
}
