/// Holds the value of a `--write-out` variable, so that it can be printed as text and as JSON.
package enum WriteOutValue: Sendable, Hashable {
    /// Text; nothing, or null, when nil.
    case text(String?)
    /// A number.
    case number(Int)
    /// A status: three digits, or a number.
    case status(Int)
    /// Seconds with six places.
    case time(Duration)

    /// As it is printed.
    package var text: String {
        switch self {
        case .text(let text): text ?? ""
        case .number(let number): String(number)
        case .status(let status): Decimal.padded(status, to: 3)
        case .time(let time): Decimal.seconds(time)
        }
    }

    /// As it stands in JSON.
    package var json: String {
        switch self {
        case .text(let text): text.map { JSONText.quoted(Array($0.utf8)) } ?? "null"
        case .number(let number), .status(let number): String(number)
        case .time(let time): Decimal.seconds(time)
        }
    }
}
