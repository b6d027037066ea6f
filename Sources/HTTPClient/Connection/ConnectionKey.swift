internal import SocketTransport

/// The settings besides the origin that distinguish connections, computed once.
///
/// Most requests share the key of their client, and comparing identities is enough. A request with
/// its own settings creates its own key; equal settings give equal keys.
package final class ConnectionKey: Sendable, Hashable {
    package let connectOptions: HTTPConnectOptions
    let unix: UnixAddress?
    /// Computed once, because the settings may be long.
    private let hash: Int

    /// The key of a client with the default settings.
    package static let standard = ConnectionKey(HTTPConnectOptions(), unix: nil)

    /// Creates the key of a client or a request with its own settings.
    ///
    /// - Throws: an error for an invalid unix domain socket path or port.
    package convenience init(_ connectOptions: HTTPConnectOptions) throws(OptionsError) {
        if let port = connectOptions.invalidPort { throw .port(port) }
        do throws(UnixSocket.PathError) {
            let unix = try connectOptions.unixSocket.map { socket throws(UnixSocket.PathError) in
                try UnixAddress(socket)
            }
            self.init(connectOptions, unix: unix)
        } catch {
            throw .unixSocket(error)
        }
    }

    /// An error in settings with which no connection can be opened.
    package enum OptionsError: Error {
        case unixSocket(UnixSocket.PathError)
        /// A port outside 0...65535.
        case port(Int)

        var invalidRequest: HTTPError.InvalidRequestReason {
            switch self {
            case .unixSocket(let reason): .unixSocket(reason)
            case .port(let port): .connectPort(port)
            }
        }
    }

    private init(_ connectOptions: HTTPConnectOptions, unix: UnixAddress?) {
        self.connectOptions = connectOptions
        self.unix = unix
        hash = connectOptions.hashValue
    }

    /// Returns the host and port to connect to in place of a host and port.
    ///
    /// All ports are in 0...65535: ``RequestPlanner`` has rejected others.
    func target(for host: String, _ port: Int) -> (host: String, port: UInt16) {
        guard let rule = connectOptions.connectToRules.first(where: { $0.matches(host, port) })
        else {
            return (host, UInt16(clamping: port))
        }
        return (rule.toHost ?? host, UInt16(clamping: rule.toPort ?? port))
    }

    /// Returns the configured addresses of a host and port; nil if the host must be resolved.
    func addresses(of host: String, _ port: UInt16) -> [IPAddress]? {
        connectOptions.overrides.first { $0.matches(host, Int(port)) }?.addresses
    }

    package static func == (left: ConnectionKey, right: ConnectionKey) -> Bool {
        left === right || left.hash == right.hash && left.connectOptions == right.connectOptions
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
