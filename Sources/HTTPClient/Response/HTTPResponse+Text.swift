internal import Wire

extension HTTPResponse {
    /// The body as text, whatever it holds.
    ///
    /// It is read in the charset that Content-Type names, where that is one of those of
    /// ``string(in:)``; else as UTF-8. Bytes that are no text become U+FFFD. A byte order mark at
    /// the start is left out. Use ``string(in:)`` to be told instead.
    public var text: String {
        let named = contentType?.charset.flatMap { TextCharset($0) }
        var errorOffset: Int?
        return (named ?? .utf8).decode(body, errorOffset: &errorOffset)
    }

    /// Reads the body as text, and says so when it is none.
    ///
    /// Known are UTF-8, US-ASCII, ISO-8859-1, windows-1252 and UTF-16 (with a byte order mark or
    /// without, then big-endian; also as UTF-16BE and UTF-16LE), by their registered names.
    ///
    /// - Parameter charset: used in place of the one in Content-Type, for servers that name a wrong
    ///   one. Default nil: that of Content-Type, and UTF-8 when it names none.
    /// - Returns: the text, without a byte order mark.
    /// - Throws: `.undecodableText`.
    public func string(in charset: String? = nil) throws(HTTPError) -> String {
        let name = charset ?? contentType?.charset ?? "utf-8"
        guard let known = TextCharset(name) else {
            throw error(.undecodableText(.unknownCharset(name)))
        }
        var errorOffset: Int?
        let text = known.decode(body, errorOffset: &errorOffset)
        if let errorOffset {
            throw error(.undecodableText(.malformed(charset: name, offset: errorOffset)))
        }
        return text
    }
}
