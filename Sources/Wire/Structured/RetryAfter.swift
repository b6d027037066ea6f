/// Says when to ask again (RFC 9110 §10.2.3).
public enum RetryAfter: Hashable, Sendable, CustomStringConvertible {
    /// So many seconds after the response came; a negative number is as 0.
    case seconds(Int)
    /// At that moment.
    case date(HTTPDate)

    /// Parses a field value: digits, or a date in one of its three forms.
    ///
    /// A number above 2^63 - 1 becomes that. Nil for anything else, negative and
    /// fractional numbers among it.
    ///
    /// - Parameters:
    ///   - text: the field value.
    ///   - now: settles the century of a two-digit year, see ``HTTPDate/init(_:now:)``.
    public init?(_ text: String, now: HTTPDate? = nil) {
        switch Digits.decimal(text) {
        case .value(let value): self = .seconds(value)
        case .tooLarge: self = .seconds(.max)
        case .malformed:
            guard let date = HTTPDate(text, now: now) else { return nil }
            self = .date(date)
        }
    }

    /// Counts the seconds to wait from `now` on.
    ///
    /// The number is the server's: bound it before you wait.
    ///
    /// - Parameter now: when the response came.
    /// - Returns: seconds; 0 for a date that has passed.
    public func delay(from now: HTTPDate) -> Int {
        switch self {
        case .seconds(let seconds): max(seconds, 0)
        case .date(let date): max(date.secondsSince1970 - now.secondsSince1970, 0)
        }
    }

    /// Formats the field value.
    public var description: String {
        switch self {
        case .seconds(let seconds): "\(max(seconds, 0))"
        case .date(let date): "\(date)"
        }
    }
}
