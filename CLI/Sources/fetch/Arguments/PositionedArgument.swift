internal import ArgumentParser

/// Holds the value of an option with its position among the arguments, byte by byte.
///
/// Data of `-d` and `--data-raw` is joined in the order of the command line, and need not be text;
/// ArgumentParser gathers each option by itself and knows text alone. So the value travels as its
/// position, a colon, and one character for each byte.
package struct PositionedArgument: Sendable, Hashable {
    /// Counts arguments.
    package let position: Int
    /// The value as the shell gave it.
    package let bytes: [UInt8]

    package init(position: Int, bytes: [UInt8]) {
        self.position = position
        self.bytes = bytes
    }

    /// The value as text; bytes that are no UTF-8 become U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The form that ``init(argument:)`` reads.
    package var argument: String {
        var text = "\(position):"
        for byte in bytes { text.unicodeScalars.append(UnicodeScalar(byte)) }
        return text
    }
}

extension PositionedArgument: ExpressibleByArgument {
    /// Reads what ``argument`` wrote.
    package init?(argument: String) {
        let scalars = Array(argument.unicodeScalars)
        guard let colon = scalars.firstIndex(of: ":"),
            let position = Decimal.value(of: argument.utf8.prefix(colon))
        else { return nil }
        var bytes: [UInt8] = []
        for scalar in scalars[(colon + 1)...] {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        self.init(position: Int(position), bytes: bytes)
    }
}
