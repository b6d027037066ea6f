import Glibc
import Testing

/// The program that these tests are in, for tests that need a process of their own.
enum OwnProgram {
    static func path() throws -> String {
        var name = [CChar](repeating: 0, count: 4096)
        try #require(unsafe readlink("/proc/self/exe", &name, name.count - 1) > 0)
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
    }
}
