/// Holds the three-digit status of a response (RFC 9110 §15).
///
/// Numbers that no status has can be held; the encoder refuses what is not three digits.
public struct HTTPStatus: ExpressibleByIntegerLiteral, Hashable, Comparable, Sendable,
    CustomStringConvertible
{
    /// In two bytes, or every head would be larger and dearer to copy.
    private let number: Int16

    /// The code; 100 to 599 has a meaning, 600 to 999 may be received.
    public var code: Int { Int(number) }

    /// Creates a status of that code, known or not; a number beyond 16 bits becomes the nearest within.
    public init(_ code: Int) {
        number = Int16(clamping: code)
    }

    /// Creates a status of that code, known or not; a number beyond 16 bits becomes the nearest within.
    public init(integerLiteral value: Int) {
        number = Int16(clamping: value)
    }

    /// Groups statuses by their first digit (RFC 9110 §15).
    public enum Kind: Sendable, Hashable {
        /// 1xx: interim; the final response is still to come.
        case informational
        /// 2xx.
        case successful
        /// 3xx: something else must be done.
        case redirection
        /// 4xx: the request is to blame.
        case clientError
        /// 5xx: the server is to blame.
        case serverError
        /// Any other; to be treated as 5xx (RFC 9110 §15).
        case other
    }

    /// Gives the class that the first digit stands for.
    public var kind: Kind {
        switch code {
        case 100..<200: .informational
        case 200..<300: .successful
        case 300..<400: .redirection
        case 400..<500: .clientError
        case 500..<600: .serverError
        default: .other
        }
    }

    /// Orders by code.
    public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool {
        left.code < right.code
    }

    /// Spells the code, followed by its name if it has one.
    public var description: String {
        let phrase = reasonPhrase
        return phrase.isEmpty ? "\(code)" : "\(code) \(phrase)"
    }
}
