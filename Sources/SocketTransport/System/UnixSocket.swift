package import Glibc

/// A unix domain socket (unix(7)).
///
///     var configuration = HTTPClientConfiguration()
///     configuration.connectOptions.unixSocket = .path("/run/docker.sock")
public enum UnixSocket: Sendable, Hashable {
    /// A socket in the file system.
    case path(String)
    /// A name in Linux's abstract namespace, without the leading NUL.
    case abstract(String)

    /// The maximum length of a path or a name, in bytes.
    ///
    /// The kernel accepts 108 bytes, including the NUL that ends a path or begins an abstract name.
    public static let maxLength = 107

    /// The reason why a path or name is invalid.
    public enum PathError: Error, Sendable, Hashable {
        /// It is empty.
        case empty
        /// It has more bytes than ``UnixSocket/maxLength``; the system would truncate it.
        case tooLong(bytes: Int)
        /// It contains a NUL, where the system would truncate it.
        case containsNUL
    }

    /// The path or the name.
    public var text: String {
        switch self {
        case .path(let text), .abstract(let text): text
        }
    }
}

extension UnixSocket: CustomStringConvertible {
    /// `unix:` and the path, or `unix:@` and the abstract name, as system tools write it.
    public var description: String {
        switch self {
        case .path(let path): "unix:\(path)"
        case .abstract(let name): "unix:@\(name)"
        }
    }
}

extension UnixSocket.PathError: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .empty: "it is empty"
        case .tooLong(let bytes): "it has \(bytes) bytes, and the limit is \(UnixSocket.maxLength)"
        case .containsNUL: "it contains a NUL byte"
        }
    }
}

/// The valid address of a unix domain socket.
package struct UnixAddress: Sendable, Hashable {
    /// The path or the name, without a NUL.
    private let text: [UInt8]
    private let isAbstract: Bool

    /// Checks the path or the name of a socket.
    ///
    /// - Throws: the reason why it is invalid.
    package init(_ socket: UnixSocket) throws(UnixSocket.PathError) {
        text = Array(socket.text.utf8)
        guard !text.isEmpty else { throw .empty }
        guard !text.contains(0) else { throw .containsNUL }
        guard text.count <= UnixSocket.maxLength else { throw .tooLong(bytes: text.count) }
        isAbstract = if case .abstract = socket { true } else { false }
    }

    /// The form for bind(2) and connect(2), with its length.
    package var storage: (storage: sockaddr_storage, length: socklen_t) {
        var result = sockaddr_storage()
        result.ss_family = sa_family_t(AF_UNIX)
        let offset = MemoryLayout<sa_family_t>.size
        let start = isAbstract ? offset + 1 : offset
        // SAFETY: the family and 108 bytes fit into a sockaddr_storage; `text` has fewer.
        unsafe withUnsafeMutableBytes(of: &result) { bytes in
            for (index, byte) in text.enumerated() { unsafe bytes[start + index] = byte }
        }
        return (result, socklen_t(offset + text.count + 1))
    }
}
