/// Says what a connection speaks once HTTP has left it.
///
/// Bytes that the exchange has not consumed belong to the other protocol: hand them over together
/// with the connection.
public enum ProtocolSwitch: Sendable, Hashable {
    /// The protocol that the Upgrade field of the 101 response names (RFC 9110 §7.8, §15.2.2).
    case upgrade
    /// Whatever the two ends like: a 2xx response to CONNECT opened a tunnel (RFC 9110 §9.3.6).
    case tunnel

    /// Finds the protocol switch that a final response makes; nil when the connection stays with HTTP.
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
