extension HTTPBody {
    /// Creates a body of text.
    ///
    /// - Parameters:
    ///   - text: the text to send.
    ///   - contentType: default `text/plain`. A charset parameter that it already has is kept.
    ///   - charset: default UTF-8. Sending text that it cannot encode throws
    ///     `.invalidRequest(.unencodableText)` with the first character that it lacks.
    /// - Returns: a body whose content type names the charset. UTF-8 is named only for `text/` types,
    ///   because other types define their own default.
    public static func string(
        _ text: String,
        contentType: HTTPContentType = "text/plain",
        charset: HTTPCharset = .utf8
    ) -> HTTPBody {
        do throws(HTTPCharset.EncodeError) {
            let bytes = try charset.encode(text)
            return HTTPBody(content: .bytes(bytes), contentType: contentType.adding(charset))
        } catch {
            let fault = HTTPInvalidRequestReason.unencodableText(
                String(error.scalar),
                charset: charset.name
            )
            return HTTPBody(content: .invalid(fault), contentType: contentType)
        }
    }
}

extension HTTPBody {
    /// Creates a body from a JSON value (RFC 8259), without unnecessary whitespace.
    ///
    /// Sending a value that JSON cannot represent throws `.invalidRequest(.body(reason:))`, and the
    /// reason names the path of the value. Such values are infinity, NaN, two members of the same name,
    /// and more than 512 levels.
    public static func json(_ value: HTTPJSON) -> HTTPBody {
        do throws(JSONEncoding.EncodeError) {
            return HTTPBody(content: .bytes(try JSONEncoding.encode(value)), contentType: .json)
        } catch {
            return HTTPBody(content: .invalid(.body(reason: error.description)), contentType: .json)
        }
    }

    /// Creates a body from a JSON literal with variables; members keep the order written.
    ///
    ///     request.body = .json(["title": title, "author": ["id": user.id, "name": user.name]])
    ///
    /// - Parameter literal: the value. It is optional so that an empty literal is an ``HTTPJSON``; nil is
    ///   sent as `null`.
    /// - Returns: a body of known length that can be sent again.
    public static func json(_ literal: HTTPJSON.Literal?) -> HTTPBody {
        .json(literal?.json ?? .null)
    }
}
