internal import SocketTransport

/// The settings besides the origin that distinguish connections, computed once.
///
/// Most requests share the key of their client, and comparing identities is enough. A request with
/// its own settings creates its own key; equal settings give equal keys.
package final class ConnectionKey: Sendable, Hashable {
    package let connectOptions: HTTPConnectOptions
    let options: SocketOptions
    let family: SocketTransport.AddressFamily
    let unix: UnixAddress?
    /// Computed once, because the settings may be long.
    private let hash: Int

    /// The key of a client with the default settings.
    package static let standard = ConnectionKey(HTTPConnectOptions(), unix: nil)

    /// - Throws: an error for an invalid unix domain socket path or port.
    package convenience init(_ connectOptions: HTTPConnectOptions) throws(OptionsError) {
        if let port = connectOptions.invalidPort { throw .port(port) }
        do throws(UnixSocket.PathError) {
            self.init(connectOptions, unix: try connectOptions.unixSocket?.address())
        } catch {
            throw .unixSocket(error)
        }
    }

    /// An error in settings that no connection can be made with.
    package enum OptionsError: Error {
        case unixSocket(UnixSocket.PathError)
        /// A port outside 0...65535.
        case port(Int)

        var invalidRequest: HTTPInvalidRequestReason {
            switch self {
            case .unixSocket(let fault): .unixSocket(fault)
            case .port(let port): .connectPort(port)
            }
        }
    }

    private init(_ connectOptions: HTTPConnectOptions, unix: UnixAddress?) {
        self.connectOptions = connectOptions
        self.unix = unix
        options = SocketOptions(connectOptions)
        family =
            switch connectOptions.addressFamily {
            case .any: .any
            case .ipv4: .ipv4
            case .ipv6: .ipv6
            }
        hash = connectOptions.hashValue
    }

    /// Returns the host and port to connect to for a host and port.
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
    func addresses(of host: String, _ port: UInt16) -> [SocketAddress.Host]? {
        connectOptions.overrides.first { $0.matches(host, Int(port)) }?.addresses.map(\.host)
    }

    package static func == (left: ConnectionKey, right: ConnectionKey) -> Bool {
        left === right || left.hash == right.hash && left.connectOptions == right.connectOptions
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension SocketOptions {
    /// Creates the transport's options from the public ones.
    init(_ connectOptions: HTTPConnectOptions) {
        self.init()
        binding =
            switch connectOptions.localBinding {
            case .none: nil
            case .address(let address): .address(address.host)
            case .device(let name): .device(name)
            case .interface(let name): .interface(name)
            }
        // The kernel rejects greater numbers.
        keepAlive = connectOptions.keepAlive.map { keepAlive in
            KeepAlive(
                idle: Int32(min(max(keepAlive.idle.components.seconds, 1), 32_767)),
                interval: Int32(min(max(keepAlive.interval.components.seconds, 1), 32_767)),
                count: Int32(min(max(keepAlive.count ?? 0, 0), 127))
            )
        }
        if let timeout = connectOptions.userTimeout {
            let (seconds, attoseconds) = timeout.components
            // 24 days is the maximum that fits.
            let milliseconds = min(seconds, 2_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
            userTimeoutMilliseconds = Int32(clamping: max(milliseconds, 1))
        }
    }
}
