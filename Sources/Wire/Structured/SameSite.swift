/// Says which requests of other sites carry a cookie (RFC 6265bis §5.6.7).
public enum SameSite: String, Hashable, Sendable {
    /// None does.
    case strict = "Strict"
    /// Only one that takes the user to the site with a safe method.
    case lax = "Lax"
    /// Every request does; clients want ``SetCookie/isSecure`` as well.
    case none = "None"

    /// Reads the value of the attribute, ASCII case aside; nil when it is none of the three.
    init?(parsing octets: ArraySlice<UInt8>) {
        switch ByteClass.lowercase(String(decoding: octets, as: UTF8.self)) {
        case "strict": self = .strict
        case "lax": self = .lax
        case "none": self = .none
        default: return nil
        }
    }
}
