package import Glibc

/// Holds the address of a unix domain socket: a path, or an abstract name (unix(7)).
package struct UnixAddress: Sendable, Hashable {
    /// Bytes that the system has room for: 108, less one for the NUL that ends a path or begins an
    /// abstract name.
    package static let maxLength = 107

    private let pathBytes: [UInt8]
    private let isAbstract: Bool

    /// Takes a path; nil when it is empty, longer than ``maxLength`` bytes, or holds a NUL.
    package init?(path: String) {
        self.init(path, isAbstract: false)
    }

    /// Takes an abstract name, without the NUL that begins it; nil as for a path.
    package init?(abstract name: String) {
        self.init(name, isAbstract: true)
    }

    private init?(_ text: String, isAbstract: Bool) {
        let pathBytes = Array(text.utf8)
        // A NUL would end the path early: the socket would be another.
        guard !pathBytes.isEmpty, pathBytes.count <= Self.maxLength, !pathBytes.contains(0) else {
            return nil
        }
        self.pathBytes = pathBytes
        self.isAbstract = isAbstract
    }

    /// The form that bind(2) and connect(2) take, with its length.
    package var storage: (storage: sockaddr_storage, length: socklen_t) {
        var result = sockaddr_storage()
        result.ss_family = sa_family_t(AF_UNIX)
        let offset = MemoryLayout<sa_family_t>.size
        let start = isAbstract ? offset + 1 : offset
        // SAFETY: the family and 108 bytes fit into a sockaddr_storage; `pathBytes` are fewer.
        unsafe withUnsafeMutableBytes(of: &result) { bytes in
            for (index, byte) in pathBytes.enumerated() { unsafe bytes[start + index] = byte }
        }
        return (result, socklen_t(offset + pathBytes.count + 1))
    }
}
