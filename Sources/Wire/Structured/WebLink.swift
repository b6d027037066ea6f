/// One link of a Link field (RFC 8288).
public struct WebLink: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The target of the link, a URI reference relative to the requested resource.
    ///
    /// Characters that are not allowed in a URI (spaces, quotes, non-ASCII text) are
    /// percent-encoded.
    public let target: String
    /// The parameters in field order, encoded as sent.
    ///
    /// A parameter without a value has an empty one.
    public let parameters: [FieldParameter]

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - target: a URI reference; characters that it cannot contain are percent-encoded.
    ///   - relations: relation types, such as "next".
    ///   - title: any text; a non-ASCII title is written as "title*".
    ///   - parameters: other parameters, written last.
    public init(
        _ target: String,
        relations: [String],
        title: String? = nil,
        parameters: [FieldParameter] = []
    ) {
        self.target = Self.encoded(target)
        // A relation type is a token or a URI. Encoding anything else keeps it inside the value.
        let relation = relations.map { Self.encoded($0) }.joined(separator: " ")
        var all = [FieldParameter(parsed: "rel", relation)]
        if let title {
            let isPlain = title.utf8.allSatisfy { $0 >= Byte.space && $0 < Byte.delete }
            all.append(
                isPlain
                    ? FieldParameter(parsed: "title", title)
                    : FieldParameter(parsed: "title*", ExtendedValue.encode(title))
            )
        }
        self.parameters = all + parameters
    }

    /// Parses the text of exactly one link, or returns nil for any other text.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text), cursor.skipToElement(), let link = WebLink(&cursor),
            !cursor.skipToElement()
        else { return nil }
        self = link
    }

    /// Reads the next link, up to a comma or the end.
    private init?(_ cursor: inout FieldCursor) {
        guard cursor.take(UInt8(ascii: "<")) else { return nil }
        target = Self.encoded(cursor.run { $0 != UInt8(ascii: ">") })
        guard cursor.take(UInt8(ascii: ">")) else { return nil }
        var parameters: [FieldParameter] = []
        while cursor.skipSemicolon() {
            guard cursor.next != Byte.semicolon, !cursor.isAtElementEnd() else { continue }
            guard let parameter = cursor.linkParameter() else { return nil }
            parameters.append(parameter)
        }
        guard cursor.isAtElementEnd() else { return nil }
        self.parameters = parameters
    }

    /// Parses the lines of Link.
    ///
    /// An unquoted value may contain anything except whitespace, commas, semicolons and quotes, as
    /// in appendix B.3. A parameter may have no value. Each line is parsed up to its first syntax
    /// error; the links that are complete before it are returned.
    ///
    /// - Parameter lines: the value of each field line. Values joined with commas have the same
    ///   meaning.
    /// - Returns: all links in field order.
    public static func list(_ lines: [String]) -> [WebLink] {
        var list: [WebLink] = []
        for line in lines {
            guard var cursor = FieldCursor(line) else { continue }
            while cursor.skipToElement(), let link = WebLink(&cursor) { list.append(link) }
        }
        return list
    }

    /// Returns the value of the first parameter with that name, still encoded, ignoring ASCII case.
    public subscript(parameter: String) -> String? {
        parameters.first(ByteClass.lowercase(parameter))
    }

    /// The relation types in lower case, because their case does not matter (§2.1.1, §3.3).
    ///
    /// If the parameter "rel" is repeated, the first one is used.
    public var relations: [String] {
        (self["rel"] ?? "").utf8.split(separator: Byte.space).map {
            ByteClass.lowercase(String(decoding: $0, as: UTF8.self))
        }
    }

    /// Returns whether the link has that relation type, ignoring ASCII case.
    public func hasRelation(_ relation: String) -> Bool {
        relations.contains(ByteClass.lowercase(relation))
    }

    /// The context of the link, a URI reference, if it is not the requested resource (§3.2).
    ///
    /// A caller that does not support other contexts must ignore links that have one.
    public var anchor: String? { self["anchor"] }

    /// The title of the target.
    ///
    /// "title*" takes precedence over "title", unless it cannot be decoded.
    public var title: String? {
        self["title*"].flatMap(ExtendedValue.decode) ?? self["title"]
    }

    /// The likely media type of the target, or nil if it is absent or malformed.
    public var mediaType: MediaType? { self["type"].flatMap { MediaType($0) } }

    /// The languages of the target, one for each "hreflang" parameter.
    public var languages: [String] {
        parameters.filter { $0.name == "hreflang" }.map(\.value)
    }

    /// The link on one line, with `***` in place of secrets of its target and its context; ``text`` has all of it.
    public var description: String { LogText.line(text(LogText.url)) }

    /// Only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }

    /// The link as written in a field, with relation types in quotes.
    public var text: String { text { $0 } }

    /// Returns the link with its target and its context as `shown` returns them.
    private func text(_ shown: (String) -> String) -> String {
        var text = "<\(shown(target))>"
        for parameter in parameters {
            // A name that ends in "*" marks an encoded value, which must not be quoted.
            switch parameter.name {
            case "rel": text += "; rel=\(QuotedString.quoted(parameter.value))"
            case "anchor": text += "; anchor=\(QuotedString.quoted(shown(parameter.value)))"
            default: text += "; \(parameter)"
            }
        }
        return text
    }

    /// Percent-encodes the characters that are not allowed between "<" and ">" or in a URI.
    private static func encoded(_ reference: String) -> String {
        var output: [UInt8] = []
        for byte in reference.utf8 {
            switch byte {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), Byte.quote, Byte.backslash:
                PercentCoding.appendTriplet(byte, to: &output)
            default:
                if ByteClass.isVisible(byte) {
                    output.append(byte)
                } else {
                    PercentCoding.appendTriplet(byte, to: &output)
                }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension FieldCursor {
    /// Reads one parameter of a link, or returns nil if there is none.
    fileprivate mutating func linkParameter() -> FieldParameter? {
        guard let name = token() else { return nil }
        skipSpaces()
        guard take(Byte.equals) else { return FieldParameter(parsed: name, "") }
        skipSpaces()
        if next == Byte.quote {
            return quotedString().map { FieldParameter(parsed: name, $0) }
        }
        let value = run { byte in
            !ByteClass.isSpace(byte) && byte != Byte.comma && byte != Byte.semicolon
                && byte != Byte.quote
        }
        return FieldParameter(parsed: name, value)
    }
}
