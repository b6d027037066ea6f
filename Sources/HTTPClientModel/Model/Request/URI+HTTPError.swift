public import Wire

// The module Wire has initializers of the same names that throw `WireError`. They are disfavored: a program that
// imports this module calls these, and one `catch` sees a single error type.
extension URI {
    /// Parses a URI or a relative reference strictly according to RFC 3986.
    ///
    ///     do {
    ///         let url = try URI(text)
    ///         print(try await client.send(url).status)
    ///     } catch {
    ///         print(error.kind, error.blame)  // an HTTPError, whichever line threw it
    ///     }
    ///
    /// - Parameter text: ASCII text of at most 1 MiB. Characters that the grammar reserves must be
    ///   percent-encoded. An empty text is a reference to the document itself.
    /// - Throws: `.invalidRequest(.url(text, .invalidURI(reason, offset)))`, with the offset of the first
    ///   invalid byte. ``HTTPError/blame-swift.property`` is the caller.
    public init(_ text: String) throws(HTTPError) {
        do throws(WireError) {
            try self.init(parsing: text)
        } catch {
            throw HTTPError(invalidURL: text, error)
        }
    }

    /// Parses text that a user typed, which may contain characters that a URI cannot contain.
    ///
    /// After the host, spaces, characters outside ASCII and characters such as `"<>\^{|}` are
    /// percent-encoded, and so is a "%" that does not start a valid triplet. Valid triplets are kept.
    /// With the package trait `IDN`, an international host is converted to its `xn--` form. A
    /// percent-encoded host is decoded.
    ///
    /// - Parameter text: the text that the user typed.
    /// - Throws: the errors of `init(_:)`; the offset refers to the encoded text.
    public init(percentEncoding text: String) throws(HTTPError) {
        do throws(WireError) {
            try self.init(encoding: text)
        } catch {
            throw HTTPError(invalidURL: text, error)
        }
    }
}

extension HTTPError {
    /// Creates the error for a value that cannot be parsed, when there is no request yet.
    package init(invalid reason: InvalidRequestReason, _ underlying: (any Error)? = nil) {
        self.init(.invalidRequest(reason), phase: .preparing, underlying: underlying)
    }

    /// Creates the error for text that is not a URL, when there is no request yet.
    package init(invalidURL text: String, _ error: WireError) {
        self.init(
            .invalidRequest(.url(text, error)),
            phase: .preparing,
            request: URLParts.withoutCredentials(text)
        )
    }
}

extension HTTPRequest {
    /// The URL without credentials; for invalid text, the text without anything that could be credentials.
    package var publicURL: String { uri?.publicText ?? URLParts.withoutCredentials(url) }
}

extension URI {
    /// The text of the URI without credentials, for errors and logs.
    package var publicText: String {
        guard userinfo != nil else { return text }
        guard let origin else { return URLParts.withoutCredentials(text) }
        return "\(origin)\(requestTarget)"
    }

    /// Whether the text looks like a host and a port, such as `localhost:8080/x`.
    ///
    /// The URI grammar reads the host in such text as a scheme.
    package var isHostWithPort: Bool {
        guard scheme != nil, host == nil else { return false }
        let port = path.utf8.prefix { $0 != UInt8(ascii: "/") }
        return 1...5 ~= port.count
            && port.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
