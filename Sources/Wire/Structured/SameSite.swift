/// The rule for sending a cookie with cross-site requests (RFC 6265bis §5.6.7).
public enum SameSite: String, Hashable, Sendable {
    /// Cross-site requests do not carry the cookie.
    case strict = "Strict"
    /// Among cross-site requests, only top-level navigations with a safe method carry the cookie.
    case lax = "Lax"
    /// Every request carries it (`SameSite=None`); clients also require ``SetCookie/isSecure``.
    case unrestricted = "None"

    /// Parses the attribute value, ignoring ASCII case, or returns nil if it is unknown.
    init?(parsing bytes: ArraySlice<UInt8>) {
        switch ByteClass.lowercase(String(decoding: bytes, as: UTF8.self)) {
        case "strict": self = .strict
        case "lax": self = .lax
        case "none": self = .unrestricted
        default: return nil
        }
    }
}
