/// Says which requests of other sites carry a cookie (RFC 6265bis §5.6.7).
public enum SameSite: String, Hashable, Sendable {
    /// Requests of other sites do not carry it.
    case strict = "Strict"
    /// Only a request that takes the user to the site with a safe method carries it.
    case lax = "Lax"
    /// Every request carries it (`SameSite=None`); clients also require ``SetCookie/isSecure``.
    case unrestricted = "None"

    /// Reads the value of the attribute, ASCII case aside; nil when it is none of the three.
    init?(parsing bytes: ArraySlice<UInt8>) {
        switch ByteClass.lowercase(String(decoding: bytes, as: UTF8.self)) {
        case "strict": self = .strict
        case "lax": self = .lax
        case "none": self = .unrestricted
        default: return nil
        }
    }
}
