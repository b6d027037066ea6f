/// Says what went wrong between this client and its proxy.
@nonexhaustive public enum HTTPProxyFailureReason: Sendable, Hashable {
    /// The proxy's name did not lead to an address; `reason` is the resolver's text.
    case unresolved(host: String, reason: String)
    /// Every address of the proxy refused or failed, in the order of trying.
    case unreachable([FailedAddress])
    /// An HTTP proxy opened no tunnel; its answer says why.
    case refused(HTTPProxyRejection)
    /// The proxy's answer breaks the rules of HTTP/1.1.
    case malformedResponse(WireError)
    /// A SOCKS5 proxy opened no way.
    case socks(SOCKS5Error)
    /// The proxy closed or reset the connection before it opened a way.
    case connectionLost(reason: String)
    /// Bytes came through the new tunnel before anything was asked, where a server has nothing to
    /// say: they must not be taken for the answer to what is asked now.
    case unsolicitedBytes
}

/// Holds a proxy's answer to CONNECT when it is not 2xx (RFC 9110 §9.3.6).
public struct HTTPProxyRejection: Sendable, Hashable {
    /// The start line and field section, as received.
    public let head: ResponseHead
    /// The first bytes of the content, as received: 16 KiB at most.
    public let body: [UInt8]

    /// The status; 407 means that the proxy wants credentials, or others.
    public var status: HTTPStatus { head.status }
}

extension HTTPProxyFailureReason: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .unresolved(let host, let reason): "could not resolve the proxy \(host): \(reason)"
        case .unreachable(let failures) where failures.isEmpty:
            "no address to connect to the proxy at"
        case .unreachable(let failures):
            "could not connect to the proxy: "
                + failures.map { "\($0.address): \($0.reason)" }.joined(separator: "; ")
        case .refused(let refusal): "the proxy refused a tunnel: \(refusal.status)"
        case .malformedResponse(let error): "the proxy's answer is malformed: \(error.message)"
        case .socks(let failure): "the SOCKS proxy opened no way: \(failure)"
        case .connectionLost(let reason): "the connection to the proxy was lost: \(reason)"
        case .unsolicitedBytes: "bytes came through the tunnel before anything was asked"
        }
    }
}

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
