import Glibc
import Testing

/// The running test program, for tests that need a separate process.
package enum OwnProgram {
    package static func path() throws -> String {
        var name = [CChar](repeating: 0, count: 4096)
        try #require(unsafe readlink("/proc/self/exe", &name, name.count - 1) > 0)
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
    }
}
