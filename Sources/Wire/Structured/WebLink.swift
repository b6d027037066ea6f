/// Holds one link of a Link field (RFC 8288).
public struct WebLink: Hashable, Sendable, CustomStringConvertible {
    /// Where the link leads: a URI reference, relative to the resource that was asked for.
    ///
    /// What cannot stand in a URI (spaces, quotes, text outside ASCII) is percent-encoded.
    public let target: String
    /// The parameters in their order, encoded as they were sent; one without value has an empty one.
    public let parameters: [FieldParameter]

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - target: a URI reference; what cannot stand in one is percent-encoded.
    ///   - relations: relation types, such as "next".
    ///   - title: any text; one outside ASCII is written as "title*".
    ///   - parameters: what else is to be said, behind the rest.
    public init(
        _ target: String,
        relations: [String],
        title: String? = nil,
        parameters: [FieldParameter] = []
    ) {
        self.target = Self.encoded(target)
        // A relation type is a token or a URI, so what is neither cannot break out of the value.
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

    /// Parses the text of exactly one link; nil for any other text.
    public init?(_ text: String) {
        guard var cursor = FieldCursor(text), cursor.skipToElement(), let link = WebLink(&cursor),
            !cursor.skipToElement()
        else { return nil }
        self = link
    }

    /// Reads the link that comes next, up to a comma or the end.
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
    /// A value without quotes may hold anything but whitespace, comma, semicolon and quote, as
    /// appendix B.3 has it; a parameter may lack its value. A line counts up to its first fault:
    /// the links that are complete before it are returned.
    ///
    /// - Parameter lines: the value of each field line; joined with commas they mean the same.
    /// - Returns: all links in order.
    public static func list(_ lines: [String]) -> [WebLink] {
        var list: [WebLink] = []
        for line in lines {
            guard var cursor = FieldCursor(line) else { continue }
            while cursor.skipToElement(), let link = WebLink(&cursor) { list.append(link) }
        }
        return list
    }

    /// Finds the value of the first parameter of that name, still encoded; ASCII case is ignored.
    public subscript(parameter: String) -> String? {
        parameters.first(ByteClass.lowercase(parameter))
    }

    /// The relation types in lower case, as their case does not matter (§2.1.1, §3.3).
    ///
    /// Of several parameters "rel" the first one counts.
    public var relations: [String] {
        (self["rel"] ?? "").utf8.split(separator: Byte.space).map {
            ByteClass.lowercase(String(decoding: $0, as: UTF8.self))
        }
    }

    /// Says whether the link has that relation type; ASCII case does not matter.
    public func hasRelation(_ relation: String) -> Bool {
        relations.contains(ByteClass.lowercase(relation))
    }

    /// Where the link starts, if not at the resource that was asked for (§3.2): a URI reference.
    ///
    /// Whoever does not look at it must ignore the links that have one.
    public var anchor: String? { self["anchor"] }

    /// What the target is called; "title*" counts before "title", unless it cannot be decoded.
    public var title: String? {
        self["title*"].flatMap(ExtendedValue.decode) ?? self["title"]
    }

    /// What format the target is likely to have; nil when none is said, or a malformed one.
    public var mediaType: MediaType? { self["type"].flatMap { MediaType($0) } }

    /// What languages the target is in, one for each parameter "hreflang".
    public var languages: [String] {
        parameters.filter { $0.name == "hreflang" }.map(\.value)
    }

    /// Formats the link as it stands in a field; relation types stand in quotes.
    public var description: String {
        var text = "<\(target)>"
        for parameter in parameters {
            // A name that ends in "*" says that the value is encoded, and such a one has no quotes.
            let isQuoted = parameter.name == "rel" || parameter.name == "anchor"
            text +=
                isQuoted
                ? "; \(parameter.name)=\(QuotedString.quoted(parameter.value))" : "; \(parameter)"
        }
        return text
    }

    /// Percent-encodes what cannot stand between "<" and ">" nor anywhere in a URI.
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
    /// Reads one parameter of a link; nil when none comes next.
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
