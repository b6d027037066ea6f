/// The value of a `--write-out` variable, which can be printed as text and as JSON.
package enum WriteOutValue: Sendable, Hashable {
    /// Text.
    ///
    /// Nil prints nothing as text, and null in JSON.
    case text(String?)
    /// A number.
    case number(Int)
    /// A status: three digits as text, a number in JSON.
    case status(Int)
    /// Seconds with six decimal places.
    case time(Duration)

    /// The value as text.
    package var text: String {
        switch self {
        case .text(let text): text ?? ""
        case .number(let number): String(number)
        case .status(let status): Decimal.padded(status, to: 3)
        case .time(let time): Decimal.seconds(time)
        }
    }

    /// The value as JSON.
    package var json: String {
        switch self {
        case .text(let text): text.map { JSONText.quoted(Array($0.utf8)) } ?? "null"
        case .number(let number), .status(let number): String(number)
        case .time(let time): Decimal.seconds(time)
        }
    }
}
