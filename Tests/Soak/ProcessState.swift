import Glibc
import Support

/// What the process holds of the system.
struct ProcessState {
    let descriptors: Int
    let threads: Int

    static var current: ProcessState {
        ProcessState(descriptors: DescriptorCount.open(), threads: DescriptorCount.threads())
    }

    /// Tells whether no more is held than then; the runtime's own threads come and go, up to one for
    /// each processor.
    func isWithin(_ other: ProcessState) -> Bool {
        descriptors <= other.descriptors
            && threads <= other.threads + sysconf(Int32(_SC_NPROCESSORS_ONLN))
    }

    /// Bytes of memory that the process has in use, as far as the kernel sees it.
    static var residentBytes: Int {
        let text = String(
            decoding: TestFileSystem.contents(of: "/proc/self/statm") ?? [],
            as: UTF8.self
        )
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }

    /// Waits until no more is held than `limit`: closing and ending take a moment.
    ///
    /// - Returns: what is held at last.
    static func settled(below limit: ProcessState, seconds: Int) async -> ProcessState {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let state = current
            if state.isWithin(limit) || ContinuousClock.now > end { return state }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
