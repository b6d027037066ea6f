extension HTTPError {
    /// The reason why a connection through a proxy failed.
    @nonexhaustive public enum ProxyReason: Sendable, Hashable {
        /// The proxy's name could not be resolved; `reason` is the resolver's text.
        case unresolved(host: String, reason: String)
        /// Connecting failed for every address of the proxy; the array has the order of attempts.
        case unreachable([FailedAddress])
        /// An HTTP proxy refused to open a tunnel; its response has the details.
        case refused(ProxyRejection)
        /// The proxy's response violates the rules of HTTP/1.1.
        case malformedResponse(WireError)
        /// A SOCKS5 proxy did not connect to the origin.
        case socks(SOCKS5Error)
        /// The proxy closed or reset the connection before it had connected to the origin.
        case connectionLost(reason: String)
        /// Bytes arrived through the new tunnel before the client sent a request.
        ///
        /// A server sends nothing at that point, and the client must not treat the bytes as its response.
        case unsolicitedBytes
    }
}

extension HTTPError {
    /// A proxy's response to CONNECT with a status other than 2xx (RFC 9110 §9.3.6).
    public struct ProxyRejection: Sendable, Hashable {
        /// The status line and header fields, as received.
        public let head: ResponseHead
        /// The first bytes of the body, as received: at most 16 KiB.
        public let body: [UInt8]

        /// The status; 407 means that the proxy requires credentials, or rejects those sent.
        public var status: HTTPStatus { head.status }

        package init(
            head: ResponseHead,
            body: [UInt8]
        ) {
            self.head = head
            self.body = body
        }
    }
}

extension HTTPError.ProxyReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .unresolved(let host, let reason): "could not resolve the proxy \(host): \(reason)"
        case .unreachable(let failures) where failures.isEmpty:
            "the proxy has no address to connect to"
        case .unreachable(let failures):
            "could not connect to the proxy: "
                + failures.map { "\($0.address): \($0.reason)" }.joined(separator: "; ")
        case .refused(let refusal): "the proxy refused to open a tunnel: \(refusal.status)"
        case .malformedResponse(let error): "the proxy's response is malformed: \(error)"
        case .socks(let failure): "the SOCKS proxy did not connect to the origin: \(failure)"
        case .connectionLost(let reason): "the connection to the proxy was lost: \(reason)"
        case .unsolicitedBytes: "bytes arrived through the tunnel before a request was sent"
        }
    }
}

extension HTTPError {
    /// The reason why a SOCKS5 proxy did not connect to the origin (RFC 1928, RFC 1929).
    @nonexhaustive public enum SOCKS5Error: Error, Sendable, Hashable {
        /// The peer does not support SOCKS5; `firstByte` is the first byte it sent, which is 5 in SOCKS5.
        case notSOCKS(firstByte: UInt8)
        /// The proxy accepts none of the offered authentication methods; usually it requires credentials.
        case noAcceptableMethod
        /// The proxy chose an authentication method that was not offered.
        case methodNotOffered(UInt8)
        /// The proxy rejected the user name and password.
        case credentialsRejected(status: UInt8)
        /// The proxy could not connect to the origin, or refused to.
        case refused(Reply)
        /// The proxy closed or reset the connection during the handshake.
        case closed
        /// The proxy's reply has an address of an unknown type.
        case unknownAddressType(UInt8)
        /// The origin's name is empty or has more than 255 bytes.
        case invalidHostName
        /// The user name or password has more than 255 bytes, or the user name is empty.
        case invalidCredentials

        /// The code with which a proxy refuses a request (RFC 1928 §6).
        public struct Reply: RawRepresentable, Sendable, Hashable {
            /// The number on the wire; 0 means success.
            public let rawValue: UInt8

            /// Creates a reply from its number.
            public init(rawValue: UInt8) {
                self.rawValue = rawValue
            }

            /// The proxy itself failed.
            public static let generalFailure = Reply(rawValue: 1)
            /// A rule of the proxy forbids the connection.
            public static let notAllowed = Reply(rawValue: 2)
            /// The network is unreachable.
            public static let networkUnreachable = Reply(rawValue: 3)
            /// The host is unreachable, or its name could not be resolved.
            public static let hostUnreachable = Reply(rawValue: 4)
            /// The host refused the connection.
            public static let connectionRefused = Reply(rawValue: 5)
            /// The time to live of a packet expired.
            public static let timeToLiveExpired = Reply(rawValue: 6)
            /// The proxy does not support the command.
            public static let commandNotSupported = Reply(rawValue: 7)
            /// The proxy does not support addresses of this type.
            public static let addressTypeNotSupported = Reply(rawValue: 8)
        }
    }
}

extension HTTPError.SOCKS5Error: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .notSOCKS(let byte): "the peer does not support SOCKS5 (its first byte was \(byte))"
        case .noAcceptableMethod: "it accepts none of the offered authentication methods"
        case .methodNotOffered(let method): "it chose method \(method), which was not offered"
        case .credentialsRejected(let status):
            "it rejected the user name and password (status \(status))"
        case .refused(let reply): "it refused: \(reply)"
        case .closed: "it closed the connection in the middle of the handshake"
        case .unknownAddressType(let type): "its reply has an address of the unknown type \(type)"
        case .invalidHostName: "the host name is empty or has more than 255 bytes"
        case .invalidCredentials:
            "the user name or password has more than 255 bytes, or the user name is empty"
        }
    }
}

extension HTTPError.SOCKS5Error.Reply: CustomStringConvertible {
    /// The text of RFC 1928.
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
