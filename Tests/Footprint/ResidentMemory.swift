import Glibc
import Support

/// Asks the kernel how much memory of this process is resident, in KiB.
enum ResidentMemory {
    /// Forgets the highest so far, and returns what it is now.
    static func begin() throws(Violation) -> Int {
        // 5 sets the mark back (proc_pid_clear_refs(5)); where that is forbidden the mark stays, and
        // what was higher before counts too.
        try? TestFileSystem.write(Array("5".utf8), to: "/proc/self/clear_refs")
        return try field("VmRSS:")
    }

    /// The highest since.
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
