package import Glibc

/// The address of a Unix domain socket: a path, or an abstract name (unix(7)).
package struct UnixAddress: Sendable, Hashable {
    /// The maximum length in bytes: 108, less one for a NUL.
    ///
    /// The NUL ends a path or begins an abstract name.
    package static let maxLength = 107

    private let pathBytes: [UInt8]
    private let isAbstract: Bool

    /// Creates an address from a path.
    ///
    /// The result is nil if the path is empty, longer than ``maxLength`` or contains a NUL.
    package init?(path: String) {
        self.init(path, isAbstract: false)
    }

    /// Creates an address from an abstract name, without its leading NUL; nil as for a path.
    package init?(abstract name: String) {
        self.init(name, isAbstract: true)
    }

    private init?(_ text: String, isAbstract: Bool) {
        let pathBytes = Array(text.utf8)
        // A NUL would end the path early and name another socket.
        guard !pathBytes.isEmpty, pathBytes.count <= Self.maxLength, !pathBytes.contains(0) else {
            return nil
        }
        self.pathBytes = pathBytes
        self.isAbstract = isAbstract
    }

    /// The form for bind(2) and connect(2), with its length.
    package var storage: (storage: sockaddr_storage, length: socklen_t) {
        var result = sockaddr_storage()
        result.ss_family = sa_family_t(AF_UNIX)
        let offset = MemoryLayout<sa_family_t>.size
        let start = isAbstract ? offset + 1 : offset
        // SAFETY: the family and 108 bytes fit into a sockaddr_storage; `pathBytes` has fewer.
        unsafe withUnsafeMutableBytes(of: &result) { bytes in
            for (index, byte) in pathBytes.enumerated() { unsafe bytes[start + index] = byte }
        }
        return (result, socklen_t(offset + pathBytes.count + 1))
    }
}
