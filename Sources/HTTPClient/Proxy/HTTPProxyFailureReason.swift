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
