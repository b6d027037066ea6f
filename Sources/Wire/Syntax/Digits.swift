/// Conversions between digits and numbers; the only such code in this package.
///
/// Signs, surrounding whitespace, prefixes and separators are malformed. Overflow is a result and does
/// not trap.
package enum Digits {
    /// The result of parsing digits.
    package enum Number: Sendable, Equatable {
        case value(Int)
        /// The bytes are empty, or one of them is not a digit.
        case malformed
        /// All bytes are digits, but the value is above the maximum.
        case tooLarge
    }

    /// Parses bytes that are all decimal digits.
    ///
    /// - Parameters:
    ///   - bytes: digits only; an empty span is malformed.
    ///   - bound: the maximum value; by default 2^63 - 1.
    /// - Returns: the number; `.tooLarge` only if all bytes are digits.
    package static func decimal(_ bytes: Span<UInt8>, upTo bound: Int = .max) -> Number {
        guard !bytes.isEmpty else { return .malformed }
        var total = 0
        var isTooLarge = false
        for index in bytes.indices {
            let digit = bytes[index] &- Byte.zero
            guard digit < 10 else { return .malformed }
            let product = total.multipliedReportingOverflow(by: 10)
            let sum = product.partialValue.addingReportingOverflow(Int(digit))
            isTooLarge = isTooLarge || product.overflow || sum.overflow
            total = sum.partialValue
        }
        return isTooLarge || total > bound ? .tooLarge : .value(total)
    }

    /// Parses a text that is all decimal digits.
    package static func decimal(_ text: String, upTo bound: Int = .max) -> Number {
        decimal(text.utf8.span, upTo: bound)
    }

    /// Returns the value of one hexadecimal digit of either case; nil for any other byte.
    package static func hexadecimal(_ byte: UInt8) -> UInt8? {
        let decimal = byte &- Byte.zero
        if decimal < 10 { return decimal }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// Appends the decimal digits of `value`, which is not negative, without leading zeros.
    package static func appendDecimal(_ value: Int, to output: inout [UInt8]) {
        append(value.magnitude, radix: 10, to: &output)
    }

    /// Appends the lower-case hexadecimal digits of `value`, which is not negative, without leading zeros.
    package static func appendHexadecimal(_ value: Int, to output: inout [UInt8]) {
        append(value.magnitude, radix: 16, to: &output)
    }

    private static func append(_ value: UInt, radix: UInt, to output: inout [UInt8]) {
        var scratch = InlineArray<20, UInt8>(repeating: Byte.zero)
        var start = scratch.count
        var rest = value
        repeat {
            start -= 1
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            scratch[start] = digit < 10 ? Byte.zero + digit : 0x61 + digit - 10
            rest /= radix
        } while rest > 0
        for index in start..<scratch.count {
            output.append(scratch[index])
        }
    }
}
