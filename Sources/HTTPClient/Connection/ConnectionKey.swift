internal import SocketTransport

/// Holds everything besides the origin that tells connections apart, settled once.
///
/// Most requests share their client's, and are told to by its identity alone; one with settings of
/// its own makes its own, and equal settings are found equal.
package final class ConnectionKey: Sendable, Hashable {
    package let connectOptions: HTTPConnectOptions
    let options: SocketOptions
    let family: SocketTransport.AddressFamily
    let unix: UnixAddress?
    /// Reckoned once: settings may be long.
    private let hash: Int

    /// The route of a client with the default settings.
    package static let standard = ConnectionKey(HTTPConnectOptions(), unix: nil)

    /// - Throws: the fault of the name of the unix domain socket, or a port that does not exist.
    package convenience init(_ connectOptions: HTTPConnectOptions) throws(OptionsError) {
        if let port = connectOptions.invalidPort { throw .port(port) }
        do throws(UnixSocket.PathError) {
            self.init(connectOptions, unix: try connectOptions.unixSocket?.address())
        } catch {
            throw .unixSocket(error)
        }
    }

    /// The fault of settings that no connection can be made with.
    package enum OptionsError: Error {
        case unixSocket(UnixSocket.PathError)
        /// Not in 0...65535.
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

    /// Says where to connect for a host and port.
    ///
    /// All ports are in 0...65535: ``RequestPlanner`` has refused others.
    func target(for host: String, _ port: Int) -> (host: String, port: UInt16) {
        guard let rule = connectOptions.connectToRules.first(where: { $0.matches(host, port) })
        else {
            return (host, UInt16(clamping: port))
        }
        return (rule.toHost ?? host, UInt16(clamping: rule.toPort ?? port))
    }

    /// The addresses that are set for a host and port; nil when it is to be resolved.
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
    /// The same, in the transport's words.
    init(_ connectOptions: HTTPConnectOptions) {
        self.init()
        binding =
            switch connectOptions.localBinding {
            case .none: nil
            case .address(let address): .address(address.host)
            case .device(let name): .device(name)
            case .interface(let name): .interface(name)
            }
        // The system refuses numbers beyond these.
        keepAlive = connectOptions.keepAlive.map { keepAlive in
            KeepAlive(
                idle: Int32(min(max(keepAlive.idle.components.seconds, 1), 32_767)),
                interval: Int32(min(max(keepAlive.interval.components.seconds, 1), 32_767)),
                count: Int32(min(max(keepAlive.count ?? 0, 0), 127))
            )
        }
        if let timeout = connectOptions.userTimeout {
            let (seconds, attoseconds) = timeout.components
            // 24 days are the most that fits.
            let milliseconds = min(seconds, 2_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
            userTimeoutMilliseconds = Int32(clamping: max(milliseconds, 1))
        }
    }
}
