/// Says why a SOCKS5 proxy opened no way to the origin (RFC 1928, RFC 1929).
@nonexhaustive public enum SOCKS5Error: Error, Sendable, Hashable {
    /// The peer does not speak SOCKS5; `firstByte` is what it began with, 5 in SOCKS5.
    case notSOCKS(firstByte: UInt8)
    /// The proxy wants something this client was not given: mostly a name and a password.
    case noAcceptableMethod
    /// The proxy chose a method that was not offered.
    case methodNotOffered(UInt8)
    /// The proxy refused name and password.
    case credentialsRejected(status: UInt8)
    /// The proxy could not, or would not, reach the origin.
    case refused(Reply)
    /// The proxy closed or reset the connection in the middle of the handshake.
    case closed
    /// An address of the proxy's answer is of a kind that does not exist.
    case unknownAddressType(UInt8)
    /// The origin's name has more than 255 bytes, or none.
    case invalidHostName
    /// Name or password has more than 255 bytes, or there is no name.
    case invalidCredentials

    /// Names the reply that a proxy refuses with (RFC 1928 §6).
    public struct Reply: RawRepresentable, Sendable, Hashable {
        /// The number on the wire; 0 would be success.
        public let rawValue: UInt8

        /// Makes the reply of that number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The proxy itself has failed.
        public static let generalFailure = Reply(rawValue: 1)
        /// A rule of the proxy forbids it.
        public static let notAllowed = Reply(rawValue: 2)
        /// No way leads to the network.
        public static let networkUnreachable = Reply(rawValue: 3)
        /// The host cannot be reached, or its name not be resolved.
        public static let hostUnreachable = Reply(rawValue: 4)
        /// The host refused the connection.
        public static let connectionRefused = Reply(rawValue: 5)
        /// A router gave up.
        public static let timeToLiveExpired = Reply(rawValue: 6)
        /// The proxy does not know the command.
        public static let commandNotSupported = Reply(rawValue: 7)
        /// The proxy does not know addresses of this kind.
        public static let addressTypeNotSupported = Reply(rawValue: 8)
    }
}

extension SOCKS5Error: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .notSOCKS(let byte): "the peer does not speak SOCKS5 (it began with byte \(byte))"
        case .noAcceptableMethod: "it accepts none of our ways to authenticate"
        case .methodNotOffered(let method): "it chose method \(method), which was not offered"
        case .credentialsRejected(let status): "it refused name and password (status \(status))"
        case .refused(let reply): "it refused: \(reply)"
        case .closed: "it closed the connection in the middle of the handshake"
        case .unknownAddressType(let type): "it answered with an address of unknown type \(type)"
        case .invalidHostName: "the host name is empty or longer than 255 bytes"
        case .invalidCredentials: "name or password is longer than 255 bytes, or the name empty"
        }
    }
}

extension SOCKS5Error.Reply: CustomStringConvertible {
    /// The words of RFC 1928.
    public var description: String {
        switch self {
        case .generalFailure: "general failure"
        case .notAllowed: "connection not allowed by ruleset"
        case .networkUnreachable: "network unreachable"
        case .hostUnreachable: "host unreachable"
        case .connectionRefused: "connection refused"
        case .timeToLiveExpired: "TTL expired"
        case .commandNotSupported: "command not supported"
        case .addressTypeNotSupported: "address type not supported"
        default: "reply \(rawValue)"
        }
    }
}
