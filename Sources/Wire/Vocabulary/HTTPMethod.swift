/// The method of a request (RFC 9110 §9).
///
/// The type accepts any spelling; encoders refuse a method that is not a token. Methods are
/// case-sensitive: `get` is not ``get``.
public struct HTTPMethod: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable,
    CustomStringConvertible
{
    /// The method as on the wire.
    public let rawValue: String

    /// Creates a method with the given spelling, valid or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method with the given spelling, valid or not.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method with the given spelling, valid or not.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// Creates the method for a number of the scanner; nil for 0, which is any other method.
    ///
    /// The text is a constant, so a received method allocates nothing.
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
    /// Same as GET, but the response has no content (§9.3.2).
    public static var head: HTTPMethod { "HEAD" }
    /// Asks the resource to process the content (§9.3.3).
    public static var post: HTTPMethod { "POST" }
    /// Replaces the state of the resource with the content (§9.3.4).
    public static var put: HTTPMethod { "PUT" }
    /// Removes the resource (§9.3.5).
    public static var delete: HTTPMethod { "DELETE" }
    /// Opens a tunnel to an authority (§9.3.6).
    public static var connect: HTTPMethod { "CONNECT" }
    /// Asks for the communication options of the resource (§9.3.7).
    public static var options: HTTPMethod { "OPTIONS" }
    /// Asks the server to return the request as content (§9.3.8).
    public static var trace: HTTPMethod { "TRACE" }
    /// Modifies the resource as described by the content (RFC 5789).
    public static var patch: HTTPMethod { "PATCH" }

    /// Asks the resource to process the content without a change of its state, as a GET with content.
    public static var query: HTTPMethod { "QUERY" }

    /// Whether the method only reads (RFC 9110 §9.2.1).
    ///
    /// It is true for the methods that IANA registers as safe. Other methods, and unknown ones, are not safe.
    public var isSafe: Bool { self == .get || Self.safeNames.contains(rawValue) }

    /// Whether repeating the request has the same effect as sending it once (RFC 9110 §9.2.2).
    ///
    /// It is true for the methods that IANA registers as idempotent, such as PUT and PROPFIND. Other methods, and
    /// unknown ones, are not idempotent, so they are not retried after a lost connection.
    public var isIdempotent: Bool { isSafe || Self.idempotentNames.contains(rawValue) }

    /// The safe methods of the IANA registry but GET (RFC 9110 §16.1.1).
    private static let safeNames: Set = [
        "HEAD", "OPTIONS", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH", "TRACE",
    ]

    /// The methods of the IANA registry that are idempotent but not safe.
    private static let idempotentNames: Set = [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "DELETE", "LABEL", "LINK",
        "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE",
        "ORDERPATCH", "PROPPATCH", "PUT", "REBIND", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK",
        "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ]

    /// Whether the spelling is a token, as the grammar requires (RFC 9110 §9.1).
    public var isToken: Bool {
        !rawValue.isEmpty && rawValue.utf8.allSatisfy(ByteClass.isToken)
    }

    /// The method as on the wire.
    public var description: String { rawValue }
}
