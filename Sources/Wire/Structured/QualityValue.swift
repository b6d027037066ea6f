/// A weight between 0 and 1, in thousandths (RFC 9110 §12.4.2).
public struct QualityValue: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The weight in thousandths, from 0 (not acceptable) to 1000 (most preferred).
    public let thousandths: Int

    /// Creates a weight.
    ///
    /// A number outside 0 to 1000 is clamped to that range.
    public init(thousandths: Int) {
        self.thousandths = min(max(thousandths, 0), 1000)
    }

    /// Parses 0 or 1 with at most three decimals, or returns nil for any other text.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text), let whole = cursor.digits(1), whole < 2 else {
            return nil
        }
        var value = whole * 1000
        if cursor.take(Byte.dot) {
            for scale in [100, 10, 1] {
                guard let digit = cursor.digits(1) else { break }
                value += digit * scale
            }
        }
        guard cursor.isAtEnd, value <= 1000 else { return nil }
        thousandths = value
    }

    /// The default weight, 1.
    public static var one: QualityValue { QualityValue(thousandths: 1000) }

    /// The weight of an unacceptable choice, 0.
    public static var zero: QualityValue { QualityValue(thousandths: 0) }

    /// Compares weights by preference, least preferred first.
    public static func < (left: QualityValue, right: QualityValue) -> Bool {
        left.thousandths < right.thousandths
    }

    /// The weight, without trailing zeros.
    public var description: String {
        if thousandths == 0 || thousandths == 1000 { return thousandths == 0 ? "0" : "1" }
        var digits = Array("0.".utf8)
        var (rest, scale) = (thousandths, 100)
        while rest > 0 {
            digits.append(Byte.zero + UInt8(truncatingIfNeeded: rest / scale))
            (rest, scale) = (rest % scale, scale / 10)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
