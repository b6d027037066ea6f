/// A change of the connection from HTTP to another protocol.
///
/// Bytes that the exchange has not consumed belong to the other protocol. Pass them on together
/// with the connection.
public enum ProtocolSwitch: Sendable, Hashable {
    /// The protocol in the Upgrade field of the 101 response (RFC 9110 §7.8, §15.2.2).
    case upgrade
    /// Any protocol, in the tunnel that a 2xx response to CONNECT opened (RFC 9110 §9.3.6).
    case tunnel

    /// Returns the change that a final response makes, or nil if the connection stays with HTTP.
    init?(status: HTTPStatus, to method: HTTPMethod) {
        if status == .switchingProtocols {
            self = .upgrade
        } else if method == .connect, status.kind == .successful {
            self = .tunnel
        } else {
            return nil
        }
    }
}
