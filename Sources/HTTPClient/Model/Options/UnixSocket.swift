internal import SocketTransport

/// A unix domain socket (unix(7)).
///
///     var request = HTTPRequest("http://localhost/containers/json")
///     request.connectOptions = HTTPConnectOptions()
///     request.connectOptions?.unixSocket = .path("/run/docker.sock")
public enum UnixSocket: Sendable, Hashable {
    /// A socket in the file system.
    case path(String)
    /// A name in Linux's abstract namespace, without the leading NUL.
    case abstract(String)

    /// The maximum length of a path or a name, in bytes.
    public static let maxLength = UnixAddress.maxLength

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

    /// Returns the address for the transport layer.
    func address() throws(PathError) -> UnixAddress {
        let address: UnixAddress? =
            switch self {
            case .path(let path): UnixAddress(path: path)
            case .abstract(let name): UnixAddress(abstract: name)
            }
        if let address { return address }
        let bytes = text.utf8
        throw bytes.isEmpty
            ? .empty : bytes.contains(0) ? .containsNUL : .tooLong(bytes: bytes.count)
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
