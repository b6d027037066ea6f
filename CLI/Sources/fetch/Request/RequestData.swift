/// The joined values of `--data` and related options.
package struct RequestData: Sendable, Hashable {
    /// How a value is read.
    package enum Form: Sendable, Hashable {
        /// `@file` without CR, LF and NUL, or the literal value.
        case text
        /// The literal value, even if it begins with `@`.
        case raw
        /// `@file` unchanged, or the literal value.
        case binary
        /// As `binary`, but joined without `&`.
        case json
        /// `[name]=content`, `[name]@file` or `content`; the content is percent-encoded.
        case encoded
    }

    /// The bytes to send.
    package var bytes: [UInt8]
    /// Whether any of the values was given with `--json`.
    package var isJSON: Bool

    package init(bytes: [UInt8] = [], isJSON: Bool = false) {
        self.bytes = bytes
        self.isJSON = isJSON
    }

    /// Joins values in the order of the command line.
    ///
    /// - Parameters:
    ///   - pieces: the values, in any order.
    ///   - read: returns the content of a file, or of standard input for `-`.
    /// - Returns: nil when there is no value.
    /// - Throws: the error of `read`.
    package static func join(
        _ pieces: [(Form, PositionedArgument)],
        reading read: (String) throws(FetchError) -> [UInt8]
    ) throws(FetchError) -> RequestData? {
        guard !pieces.isEmpty else { return nil }
        var data = RequestData()
        var isFirst = true
        for (form, piece) in pieces.sorted(by: { $0.1.position < $1.1.position }) {
            if form == .json {
                data.isJSON = true
            } else if !isFirst {
                data.bytes.append(UInt8(ascii: "&"))
            }
            isFirst = false
            guard form != .encoded else {
                data.bytes += try encoded(piece.bytes, reading: read)
                continue
            }
            guard form != .raw, piece.bytes.first == UInt8(ascii: "@") else {
                data.bytes += piece.bytes
                continue
            }
            let content = try read(String(decoding: piece.bytes.dropFirst(), as: UTF8.self))
            data.bytes +=
                form == .text ? content.filter { !HeaderLine.isLineBreaking($0) } : content
        }
        return data
    }

    /// Encodes a value of `--data-urlencode`; a name in front stays as it is.
    private static func encoded(
        _ value: [UInt8],
        reading read: (String) throws(FetchError) -> [UInt8]
    ) throws(FetchError) -> [UInt8] {
        // An equals sign takes precedence over an at sign, wherever they are.
        let mark =
            value.firstIndex(of: UInt8(ascii: "=")) ?? value.firstIndex(of: UInt8(ascii: "@"))
        guard let mark else { return formEncoded(value) }
        var content = Array(value[(mark + 1)...])
        if value[mark] == UInt8(ascii: "@") {
            content = try read(String(decoding: content, as: UTF8.self))
        }
        let name = mark > 0 ? Array(value[..<mark]) + [UInt8(ascii: "=")] : []
        return name + formEncoded(content)
    }

    /// Percent-encodes bytes, with a plus for each space.
    private static func formEncoded(_ bytes: [UInt8]) -> [UInt8] {
        let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let encoded = words.map { PercentEncoding.encode(Array($0)) }
        return Array(encoded.joined(separator: [UInt8(ascii: "+")]))
    }
}
