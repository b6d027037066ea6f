/// Holds what `--data` and its relatives say, joined.
package struct RequestData: Sendable, Hashable {
    /// Says how one value is read.
    package enum Form: Sendable, Hashable {
        /// `@file` without CR, LF and NUL, or the value.
        case text
        /// The value, whatever it begins with.
        case raw
        /// `@file` as it is, or the value.
        case binary
        /// As `binary`, joined without `&`.
        case json
        /// `[name]=content`, `[name]@file` or `content`, whose content is percent-encoded.
        case encoded
    }

    /// The bytes to send.
    package var bytes: [UInt8]
    /// Whether any of the values came by `--json`.
    package var isJSON: Bool

    package init(bytes: [UInt8] = [], isJSON: Bool = false) {
        self.bytes = bytes
        self.isJSON = isJSON
    }

    /// Joins values in the order of the command line.
    ///
    /// - Parameters:
    ///   - pieces: the values, in any order.
    ///   - read: gives the content of a file, or of standard input for `-`.
    /// - Returns: nil when there is no value.
    /// - Throws: what `read` throws.
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

    /// Encodes a value of `--data-urlencode`; the name in front is taken as it is.
    private static func encoded(
        _ value: [UInt8],
        reading read: (String) throws(FetchError) -> [UInt8]
    ) throws(FetchError) -> [UInt8] {
        // An equals sign goes before an at sign, wherever they stand.
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

    /// In a form a plus stands for a space.
    private static func formEncoded(_ bytes: [UInt8]) -> [UInt8] {
        let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let encoded = words.map { PercentEncoding.encode(Array($0)) }
        return Array(encoded.joined(separator: [UInt8(ascii: "+")]))
    }
}
