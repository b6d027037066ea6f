/// The three-digit status code of a response (RFC 9110 §15).
///
/// The type accepts any number; the encoder refuses numbers that do not have three digits.
public struct HTTPStatus: ExpressibleByIntegerLiteral, Hashable, Comparable, Sendable,
    CustomStringConvertible
{
    /// The code in two bytes, because a larger number would make every head larger and slower to copy.
    private let number: Int16

    /// The status code; 100 to 599 have a meaning, 600 to 999 can be received.
    public var code: Int { Int(number) }

    /// Creates a status with the given code, known or not; numbers beyond 16 bits are clamped.
    public init(_ code: Int) {
        number = Int16(clamping: code)
    }

    /// Creates a status with the given code, known or not; numbers beyond 16 bits are clamped.
    public init(integerLiteral value: Int) {
        number = Int16(clamping: value)
    }

    /// A class of statuses, given by the first digit (RFC 9110 §15).
    public enum Kind: Sendable, Hashable {
        /// 1xx: interim; the final response follows.
        case informational
        /// 2xx: the request succeeded.
        case successful
        /// 3xx: the client must take further action.
        case redirection
        /// 4xx: the request is at fault.
        case clientError
        /// 5xx: the server failed.
        case serverError
        /// Any other code; treat it as 5xx (RFC 9110 §15).
        case other
    }

    /// The class of the status, given by its first digit.
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

    /// Orders statuses by code.
    public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool {
        left.code < right.code
    }

    /// The code, followed by its name if it has one.
    public var description: String {
        let phrase = reasonPhrase
        return phrase.isEmpty ? "\(code)" : "\(code) \(phrase)"
    }
}
