/// Names what a request asks for (RFC 9110 §9).
///
/// Any spelling can be held; one that is no token is refused when a request is written. Methods
/// are case-sensitive: `get` is not ``get``.
public struct HTTPMethod: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable,
    CustomStringConvertible
{
    /// The method as it stands on the wire.
    public let rawValue: String

    /// Creates a method of that spelling, valid or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method of that spelling, valid or not.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method of that spelling, valid or not.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// Gives the method that the scanner numbers so; nil for 0, which is any other.
    ///
    /// The text is a constant, so that a received method costs no allocation.
    init?(number: UInt8) {
        switch number {
        case 1: rawValue = "GET"
        case 2: rawValue = "HEAD"
        case 3: rawValue = "POST"
        case 4: rawValue = "PUT"
        case 5: rawValue = "DELETE"
        case 6: rawValue = "OPTIONS"
        case 7: rawValue = "CONNECT"
        case 8: rawValue = "PATCH"
        case 9: rawValue = "TRACE"
        default: return nil
        }
    }

    /// Transfers a representation of the resource (RFC 9110 §9.3.1).
    public static var get: HTTPMethod { "GET" }
    /// Asks for what GET would answer, without its content (§9.3.2).
    public static var head: HTTPMethod { "HEAD" }
    /// Lets the resource process the content (§9.3.3).
    public static var post: HTTPMethod { "POST" }
    /// Replaces the resource by the content (§9.3.4).
    public static var put: HTTPMethod { "PUT" }
    /// Removes the resource (§9.3.5).
    public static var delete: HTTPMethod { "DELETE" }
    /// Opens a tunnel to an authority (§9.3.6).
    public static var connect: HTTPMethod { "CONNECT" }
    /// Asks which options there are (§9.3.7).
    public static var options: HTTPMethod { "OPTIONS" }
    /// Echoes the request (§9.3.8).
    public static var trace: HTTPMethod { "TRACE" }
    /// Changes the resource as the content says (RFC 5789).
    public static var patch: HTTPMethod { "PATCH" }

    /// Says whether the method asks for nothing but information (RFC 9110 §9.2.1).
    ///
    /// Unknown methods are not safe.
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace
    }

    /// Says whether asking twice means the same as asking once (RFC 9110 §9.2.2).
    ///
    /// Unknown methods are not idempotent, so they are not repeated after a lost connection.
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
    }

    /// Says whether the spelling is a token, as the grammar demands (RFC 9110 §9.1).
    public var isToken: Bool {
        !rawValue.isEmpty && rawValue.utf8.allSatisfy(ByteClass.isToken)
    }

    /// Spells the method as it stands on the wire.
    public var description: String { rawValue }
}
