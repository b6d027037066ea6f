import Glibc
import Support

/// Measurements of this process's resident memory by the kernel, in KiB.
enum ResidentMemory {
    /// Resets the peak and returns the current value.
    static func begin() throws(Violation) -> Int {
        // Writing 5 resets the peak (proc_pid_clear_refs(5)). Where that is forbidden, the peak includes
        // earlier values.
        try? TestFileSystem.write(Array("5".utf8), to: "/proc/self/clear_refs")
        return try field("VmRSS:")
    }

    /// Returns the peak since ``begin()``.
    static func peak() throws(Violation) -> Int { try field("VmHWM:") }

    private static func field(_ name: String) throws(Violation) -> Int {
        let text = String(
            decoding: TestFileSystem.contents(of: "/proc/self/status") ?? [],
            as: UTF8.self
        )
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            if let number = Int(line.filter { $0.isNumber }) { return number }
        }
        throw Violation("/proc/self/status has no \(name)")
    }
}
