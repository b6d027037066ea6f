package import HTTPClient

/// The parsed value of `--form` or `--form-string`: one field of a multipart form.
///
///     name=value[;type=…]      text
///     name=@file[;type=…][;filename=…]   a file, sent as a file; `-` is standard input
///     name=<file[;type=…]      the content of a file, sent as text
///
/// Text in quotes is literal, except for `\"` and `\\`.
package struct FormPart: Sendable, Hashable {
    /// The source of the field's content.
    package enum Source: Sendable, Hashable {
        case text
        /// A file that is read while it is sent.
        case file
        /// A file whose content is the text of the field.
        case content
    }

    package var source: Source
    package var name: String
    /// The text, or the path of the file.
    package var value: String
    package var contentType: String?
    package var fileName: String?

    package init(
        _ source: Source,
        name: String,
        value: String,
        contentType: String? = nil,
        fileName: String? = nil
    ) {
        self.source = source
        self.name = name
        self.value = value
        self.contentType = contentType
        self.fileName = fileName
    }

    /// Parses a value of `--form-string`, which is literal text.
    package init(literal text: String) throws(FetchError) {
        guard let equals = text.firstIndex(of: "=") else {
            throw .usage("\"\(text)\" is not a form field: use name=value")
        }
        let value = String(text[text.index(after: equals)...])
        self.init(.text, name: String(text[..<equals]), value: value)
    }

    /// Parses a value of `--form`.
    ///
    /// - Throws: `.badUsage` for a value without `=`, for an unknown property, and for several
    ///   files in one field.
    package init(_ text: String) throws(FetchError) {
        guard let equals = text.firstIndex(of: "=") else {
            throw .usage("\"\(text)\" is not a form field: use name=value")
        }
        var rest = text[text.index(after: equals)...]
        let source: Source
        switch rest.first {
        case "@": source = .file
        case "<": source = .content
        default: source = .text
        }
        if source != .text { rest.removeFirst() }
        let isQuoted = rest.first == "\""
        self.init(source, name: String(text[..<equals]), value: Self.parseToken(&rest))
        if source == .file, !isQuoted, value.contains(",") {
            throw .usage("several files in the field \"\(name)\": quote a name that has a comma")
        }
        while rest.first == ";" {
            rest.removeFirst()
            rest = rest.drop { $0 == " " }
            // A media type may contain semicolons itself, before its parameters.
            if rest.hasPrefix("type=") {
                rest = rest.dropFirst(5)
                contentType = Self.parseToken(&rest)
                while !rest.hasPrefix(";filename="), rest.first == ";" {
                    rest.removeFirst()
                    contentType? += ";" + Self.parseToken(&rest)
                }
            } else if rest.hasPrefix("filename=") {
                rest = rest.dropFirst(9)
                fileName = Self.parseToken(&rest)
            } else if source == .text {
                // This is not a property, so it belongs to the value.
                value += ";" + Self.parseToken(&rest)
            } else {
                throw .usage("\"\(rest)\" is an unknown property of a form field")
            }
        }
    }

    /// Consumes a token: up to the next semicolon, or to the closing quote.
    private static func parseToken(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let word = rest.prefix { $0 != ";" }
            rest = rest[word.endIndex...]
            return String(word)
        }
        rest.removeFirst()
        var word = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", rest.first == "\"" || rest.first == "\\" {
                word.append(rest.removeFirst())
            } else {
                word.append(character)
            }
        }
        return word
    }

    /// Adds the field to a form.
    ///
    /// - Parameters:
    ///   - form: receives one more part.
    ///   - read: returns the content of a file, or of standard input for `-`.
    /// - Throws: the error of `read`. A file that is sent as a file is read later.
    package func add(
        to form: inout MultipartForm,
        reading read: (String) throws(FetchError) -> [UInt8]
    ) throws(FetchError) {
        let type = contentType.map { HTTPContentType(rawValue: $0) }
        switch source {
        case .text:
            form.add(string: value, name: name, contentType: type)
        case .content:
            let text = String(decoding: try read(value), as: UTF8.self)
            form.add(string: text, name: name, contentType: type)
        case .file where value == "-":
            let bytes = try read(value)
            form.add(bytes: bytes, name: name, fileName: fileName ?? "-", contentType: type)
        case .file:
            form.add(file: value, name: name, fileName: fileName, contentType: type)
        }
    }
}
