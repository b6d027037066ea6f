internal import SocketTransport

/// Names a unix domain socket (unix(7)).
///
///     var request = HTTPRequest("http://localhost/containers/json")
///     request.connecting = HTTPConnecting()
///     request.connecting?.unixSocket = .path("/run/docker.sock")
public enum UnixSocket: Sendable, Hashable {
    /// A socket in the file system.
    case path(String)
    /// A name of Linux's own name space, without the NUL that begins it.
    case abstract(String)

    /// Octets that a path or a name may have.
    public static let limit = UnixAddress.limit

    /// Says why a path or name is none.
    public enum Fault: Error, Sendable, Hashable {
        /// It is empty.
        case empty
        /// It has more octets than ``UnixSocket/limit``; the system would cut it.
        case tooLong(octets: Int)
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
    func address() throws(Fault) -> UnixAddress {
        let address: UnixAddress? =
            switch self {
            case .path(let path): UnixAddress(path: path)
            case .abstract(let name): UnixAddress(abstract: name)
            }
        if let address { return address }
        let octets = text.utf8
        throw octets.isEmpty
            ? .empty : octets.contains(0) ? .containsNUL : .tooLong(octets: octets.count)
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

extension UnixSocket.Fault: CustomStringConvertible {
    /// What is wrong.
    public var description: String {
        switch self {
        case .empty: "it is empty"
        case .tooLong(let octets): "it has \(octets) octets; \(UnixSocket.limit) is the most"
        case .containsNUL: "it holds a NUL"
        }
    }
}
