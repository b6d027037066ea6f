import Glibc
import Support
import Synchronization
import Testing

/// What happens to threads inside OpenSSL when the process ends; each run in a process of its own.
@Suite(.timeLimit(.minutes(2))) struct ProcessExitTests {
    /// Exit handlers run while the other threads go on.
    @Test(arguments: 0..<16)
    func `exit during handshakes of other threads is no crash`(run: Int) async {
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
