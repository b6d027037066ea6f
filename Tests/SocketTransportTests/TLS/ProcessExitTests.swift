import Glibc
import Support
import Synchronization
import Testing

/// Tests process exit while threads run inside OpenSSL, each in a separate process.
@Suite(.timeLimit(.minutes(10))) struct ProcessExitTests {
    /// Exit handlers run while the other threads continue.
    @Test(arguments: 0..<16)
    func `exit during handshakes on other threads does not crash`(run: Int) async {
        await #expect(processExitsWith: .success) {
            let settings = try TLSSettings()
            let finished = Atomic<Int>(0)
            for _ in 0..<4 {
                _ = try WorkerThread {
                    while true {
                        _ = try? settings.pair()
                        finished.add(1, ordering: .relaxed)
                    }
                }
            }
            while finished.load(ordering: .relaxed) < 8 { sched_yield() }
            exit(0)
        }
    }
}
