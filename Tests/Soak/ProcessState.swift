import CAllocations
import Glibc
import Support

/// The system resources that the process uses.
struct ProcessState {
    let descriptors: Int
    let threads: Int

    static var current: ProcessState {
        ProcessState(descriptors: DescriptorCount.open(), threads: DescriptorCount.threads())
    }

    /// Returns whether no more resources are used than in `other`.
    ///
    /// One additional thread per processor is allowed, because the runtime starts and ends threads.
    func isWithin(_ other: ProcessState) -> Bool {
        descriptors <= other.descriptors
            && threads <= other.threads + sysconf(Int32(_SC_NPROCESSORS_ONLN))
    }

    /// The bytes that the program has allocated and not freed; nil under a sanitizer.
    static var allocatedBytes: Int? {
        allocations_are_counted() == 1 ? Int(allocated_bytes()) : nil
    }

    /// The resident memory of the process in bytes.
    static var residentBytes: Int {
        let text = String(
            decoding: TestFileSystem.contents(of: "/proc/self/statm") ?? [],
            as: UTF8.self
        )
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }

    /// Waits until no more resources are used than `limit`, because closing takes a moment.
    ///
    /// - Returns: the last state.
    static func settled(below limit: ProcessState, seconds: Int) async -> ProcessState {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let state = current
            if state.isWithin(limit) || ContinuousClock.now > end { return state }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
