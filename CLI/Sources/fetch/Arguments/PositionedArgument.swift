internal import ArgumentParser

/// The bytes of an option's value, with the option's position among the arguments.
///
/// Values of `-d` and `--data-raw` are joined in the order of the command line, and need not be
/// text. ArgumentParser collects each option separately and handles only text. Each value is
/// therefore encoded as its position, a colon, and one character per byte.
package struct PositionedArgument: Sendable, Hashable {
    /// The position among the arguments.
    package let position: Int
    /// The value as the shell passed it.
    package let bytes: [UInt8]

    package init(position: Int, bytes: [UInt8]) {
        self.position = position
        self.bytes = bytes
    }

    /// The value as text; bytes that are not valid UTF-8 become U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The encoded value, as ``init(argument:)`` reads it.
    package var argument: String {
        var text = "\(position):"
        for byte in bytes { text.unicodeScalars.append(UnicodeScalar(byte)) }
        return text
    }
}

extension PositionedArgument: ExpressibleByArgument {
    /// Decodes a value that ``argument`` encoded.
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
