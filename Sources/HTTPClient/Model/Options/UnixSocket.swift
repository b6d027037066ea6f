internal import SocketTransport

/// Names a unix domain socket (unix(7)).
///
///     var request = HTTPRequest("http://localhost/containers/json")
///     request.connectOptions = HTTPConnectOptions()
///     request.connectOptions?.unixSocket = .path("/run/docker.sock")
public enum UnixSocket: Sendable, Hashable {
    /// A socket in the file system.
    case path(String)
    /// A name of Linux's own name space, without the NUL that begins it.
    case abstract(String)

    /// Bytes that a path or a name may have.
    public static let maxLength = UnixAddress.maxLength

    /// Says why a path or name is none.
    public enum PathError: Error, Sendable, Hashable {
        /// It is empty.
        case empty
        /// It has more bytes than ``UnixSocket/limit``; the system would cut it.
        case tooLong(bytes: Int)
        /// It holds a NUL, at which the system would cut it.
        case containsNUL
    }

    /// The path or the name.
    public var text: String {
        switch self {
        case .path(let text), .abstract(let text): text
        }
    }

    /// The same, in the transport's words.
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
    /// `unix:` and the path; an abstract name follows an `@`, as in tools of the system.
    public var description: String {
        switch self {
        case .path(let path): "unix:\(path)"
        case .abstract(let name): "unix:@\(name)"
        }
    }
}

extension UnixSocket.PathError: CustomStringConvertible {
    /// What is wrong.
    public var description: String {
        switch self {
        case .empty: "it is empty"
        case .tooLong(let bytes): "it has \(bytes) bytes; \(UnixSocket.maxLength) is the most"
        case .containsNUL: "it holds a NUL"
        }
    }
}
