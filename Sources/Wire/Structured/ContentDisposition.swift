/// Says whether content is to be shown or kept, and under which name (RFC 6266).
public struct ContentDisposition: Hashable, Sendable, CustomStringConvertible {
    /// The disposition type, ASCII letters in lower case: "attachment", "inline" or another token.
    ///
    /// An unknown one is to be treated as "attachment" (§4.2).
    public let kind: String
    /// The parameters in their order, encoded as they were sent; no name occurs twice.
    public let parameters: [FieldParameter]

    /// Creates a disposition with a file name.
    ///
    /// A name outside plain ASCII is written twice, as §4.3 and appendix D advise: encoded for those
    /// who understand it, and for others with "_" in the place of each character that they might
    /// misread.
    ///
    /// - Parameters:
    ///   - kind: a token, usually "attachment"; nil results for anything else.
    ///   - fileName: any text; nil for no name.
    public init?(_ kind: String, fileName: String?) {
        guard QuotedString.isToken(kind) else { return nil }
        self.kind = ByteClass.lowercase(kind)
        guard let fileName else {
            parameters = []
            return
        }
        let plain = Self.plain(fileName)
        var parameters = [FieldParameter(parsed: "filename", plain)]
        if !plain.utf8.elementsEqual(fileName.utf8) {
            parameters.append(
                FieldParameter(parsed: "filename*", ExtendedValue.encode(fileName))
            )
        }
        self.parameters = parameters
    }

    /// Parses a field value.
    ///
    /// Whitespace around "=" and empty parameters are tolerated. Nil for anything else outside the
    /// grammar (§4.1), such as file names with spaces but without quotes, and for a parameter that
    /// occurs twice: the name that was meant cannot be known.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text) else { return nil }
        cursor.skipSpaces()
        guard let kind = cursor.token(), let parameters = cursor.parameters(.aroundEquals) else {
            return nil
        }
        cursor.skipSpaces()
        guard cursor.isAtEnd, Set(parameters.map(\.name)).count == parameters.count else {
            return nil
        }
        self.kind = ByteClass.lowercase(kind)
        self.parameters = parameters
    }

    /// The file name as the sender gave it; nil when there is none.
    ///
    /// "filename*" counts before "filename", unless it cannot be decoded (RFC 8187 §3.2: UTF-8 and
    /// ISO-8859-1). The name may be a path, or hold control characters: never open a file of it.
    /// Use ``safeFileName``.
    public var fileName: String? {
        parameters.first("filename*").flatMap(ExtendedValue.decode) ?? parameters.first("filename")
    }

    /// The file name made safe to create a file with in a directory of your choice (§4.3).
    ///
    /// Of a path the last part is left, whichever slash parts it. Control characters and those that
    /// turn the direction of text are dropped, spaces and dots at both ends too; `<>:"|?*` become
    /// "_". At most 255 bytes are kept, the extension among them if it is short. Whether a file of
    /// that name exists, or its extension makes it a program, is for the caller to ask.
    public var safeFileName: String? { fileName.flatMap { SafeFileName.make(from: $0) } }

    /// Finds the value of a parameter, still encoded; ASCII case of the name does not matter.
    public subscript(parameter: String) -> String? {
        parameters.first(ByteClass.lowercase(parameter))
    }

    /// Formats the field value.
    public var description: String { kind + parameters.suffix }

    /// Replaces what clients are known to misread in a quoted file name.
    private static func plain(_ name: String) -> String {
        var output: [UInt8] = []
        for character in name.unicodeScalars {
            let value = character.value
            let isPlain =
                (0x20..<0x7f).contains(value) && value != 0x22 && value != 0x5c && value != 0x25
            output.append(isPlain ? UInt8(truncatingIfNeeded: value) : UInt8(ascii: "_"))
        }
        return String(decoding: output, as: UTF8.self)
    }
}
