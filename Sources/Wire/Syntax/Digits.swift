/// Turns digits into numbers: the only place in this package that does.
///
/// No sign, no surrounding whitespace, no prefix, no separator; overflow is an answer, not a trap.
package enum Digits {
    /// Tells what a run of bytes is as a number.
    package enum Number: Sendable, Equatable {
        case value(Int)
        /// Empty, or a byte is no digit.
        case malformed
        /// All digits, but the value is above the bound that was asked for.
        case tooLarge
    }

    /// Reads decimal digits, the whole of `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: digits only; an empty span is malformed.
    ///   - bound: the greatest value accepted; the default takes every number up to 2^63 - 1.
    /// - Returns: `.tooLarge` only for what is all digits.
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

    /// Reads the decimal digits of a text, the whole of it.
    package static func decimal(_ text: String, upTo bound: Int = .max) -> Number {
        decimal(text.utf8.span, upTo: bound)
    }

    /// Gives the value of one hexadecimal digit of either case, nil for any other byte.
    package static func hexadecimal(_ byte: UInt8) -> UInt8? {
        let decimal = byte &- Byte.zero
        if decimal < 10 { return decimal }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// Appends the decimal digits of `value`, without leading zeros; it is not negative.
    package static func appendDecimal(_ value: Int, to output: inout [UInt8]) {
        append(value.magnitude, radix: 10, to: &output)
    }

    /// Appends the lowercase hexadecimal digits of `value`, without leading zeros; it is not negative.
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
