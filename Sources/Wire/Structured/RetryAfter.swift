/// The time to wait before the next request (RFC 9110 §10.2.3).
public enum RetryAfter: Hashable, Sendable, CustomStringConvertible {
    /// A number of seconds after the response was received.
    ///
    /// A negative number counts as 0.
    case seconds(Int)
    /// A date.
    case date(HTTPDate)

    /// Parses a field value: digits, or a date in one of its three formats.
    ///
    /// A number above 2^63 - 1 is clamped to that value. The result is nil for any other text,
    /// including negative and fractional numbers.
    ///
    /// - Parameters:
    ///   - text: the field value.
    ///   - now: the current time, which determines the century of a two-digit year; see
    ///     ``HTTPDate/init(_:now:)``.
    public init?(_ text: String, now: HTTPDate? = nil) {
        switch Digits.decimal(text) {
        case .value(let value): self = .seconds(value)
        case .tooLarge: self = .seconds(.max)
        case .malformed:
            guard let date = HTTPDate(text, now: now) else { return nil }
            self = .date(date)
        }
    }

    /// Returns the seconds to wait from `now` on.
    ///
    /// The server chooses the number, so limit it before waiting.
    ///
    /// - Parameter now: the time the response was received.
    /// - Returns: seconds; 0 for a date in the past.
    public func delay(from now: HTTPDate) -> Int {
        switch self {
        case .seconds(let seconds): max(seconds, 0)
        case .date(let date): max(date.secondsSince1970 - now.secondsSince1970, 0)
        }
    }

    /// The field value.
    public var description: String {
        switch self {
        case .seconds(let seconds): "\(max(seconds, 0))"
        case .date(let date): "\(date)"
        }
    }
}
