/// The value of a Content-Disposition field: how to present content and its file name (RFC 6266).
public struct ContentDisposition: Hashable, Sendable, CustomStringConvertible {
    /// The disposition type in lower case: "attachment", "inline" or another token.
    ///
    /// Treat an unknown type as "attachment" (§4.2).
    public let kind: String
    /// The parameters in field order, encoded as sent.
    ///
    /// No name occurs twice.
    public let parameters: [FieldParameter]

    /// Creates a disposition with a file name.
    ///
    /// A name that is not plain ASCII is written twice, as §4.3 and appendix D advise. The encoded
    /// form is for clients that support it. In the plain form, "_" replaces each character that
    /// other clients might misread.
    ///
    /// - Parameters:
    ///   - kind: a token, usually "attachment"; for any other text the result is nil.
    ///   - fileName: any text, or nil for no name.
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
    /// Whitespace around "=" and empty parameters are tolerated. The result is nil for any other
    /// violation of the grammar (§4.1), such as file names with spaces but without quotes. It is
    /// also nil if a parameter is repeated, because the intended name is ambiguous. In "filename*",
    /// brackets and other visible characters are tolerated, because encodeURIComponent leaves them.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text) else { return nil }
        cursor.skipSpaces()
        guard let kind = cursor.token(),
            let parameters = cursor.parameters(.aroundEquals, .alone)
        else { return nil }
        cursor.skipSpaces()
        guard cursor.isAtEnd, Set(parameters.map(\.name)).count == parameters.count else {
            return nil
        }
        self.kind = ByteClass.lowercase(kind)
        self.parameters = parameters
    }

    /// The file name as sent, or nil if there is none.
    ///
    /// "filename*" takes precedence over "filename", unless it cannot be decoded (RFC 8187 §3.2:
    /// UTF-8 and ISO-8859-1). The name may be a path or contain control characters, so never open a
    /// file with it. Use ``safeFileName`` instead.
    public var fileName: String? {
        parameters.first("filename*").flatMap(ExtendedValue.decode) ?? parameters.first("filename")
    }

    /// The file name, made safe for creating a file in a directory chosen by the caller (§4.3).
    ///
    /// Only the last component of a path is kept; both "/" and "\" separate components. Control
    /// characters and characters that change the text direction are removed, as are spaces and dots
    /// at both ends. The characters `<>:"|?*` become "_". The name is cut to 255 bytes, and a short
    /// extension is kept. The caller must check whether the file already exists and whether its
    /// extension makes it executable.
    public var safeFileName: String? { fileName.flatMap { SafeFileName.make(from: $0) } }

    /// Returns the value of a parameter, still encoded, ignoring the ASCII case of its name.
    public subscript(parameter: String) -> String? {
        parameters.first(ByteClass.lowercase(parameter))
    }

    /// The field value.
    public var description: String { kind + parameters.suffix }

    /// Replaces the characters that clients are known to misread in a quoted file name.
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
