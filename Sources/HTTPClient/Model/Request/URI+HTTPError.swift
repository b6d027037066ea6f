public import Wire

// Where Wire alone is imported, the initializers of the same names throw `WireError`. Those are disfavored, so that a
// program that imports this module gets these, and one `catch` sees one type of error.
extension URI {
    /// Parses a URI or a relative reference, strictly as RFC 3986 says.
    ///
    ///     do {
    ///         let url = try URI(text)
    ///         print(try await client.send(url).status)
    ///     } catch {
    ///         print(error.kind, error.blame)  // an HTTPError, whichever line threw it
    ///     }
    ///
    /// - Parameter text: ASCII, at most 1 MiB; every character that the grammar reserves must be percent-encoded. An
    ///   empty text is a reference to the document itself.
    /// - Throws: `.invalidRequest(.url(text, .invalidURI(reason, offset)))`; the offset is that of the first byte at
    ///   fault. ``HTTPError/blame-swift.property`` is the caller.
    public init(_ text: String) throws(HTTPError) {
        do throws(WireError) {
            try self.init(parsing: text)
        } catch {
            throw HTTPError(invalidURL: text, error)
        }
    }

    /// Parses text that a person typed, which may hold characters that a URI may not.
    ///
    /// Spaces, characters outside ASCII and marks such as `"<>\^{|}` are percent-encoded after the host, and so is a
    /// "%" that begins no triplet. Valid triplets stay as they are. With the package trait `IDN`, an international
    /// host becomes its `xn--` form; a percent-encoded host is decoded.
    ///
    /// - Parameter text: what was typed.
    /// - Throws: as `init(_:)`; the offset is one of the encoded text.
    public init(percentEncoding text: String) throws(HTTPError) {
        do throws(WireError) {
            try self.init(encoding: text)
        } catch {
            throw HTTPError(invalidURL: text, error)
        }
    }
}

extension HTTPError {
    /// The error for text that is not a URL, before there is a request.
    init(invalidURL text: String, _ error: WireError) {
        self.init(
            .invalidRequest(.url(text, error)),
            phase: .preparing,
            request: URLParts.withoutCredentials(text)
        )
    }
}

extension HTTPRequest {
    /// The URL without credentials, or the text that is no URL without what could be some.
    var publicURL: String { uri?.publicText ?? URLParts.withoutCredentials(url) }
}

extension URI {
    /// The text without credentials, for errors and logs.
    var publicText: String {
        guard userinfo != nil else { return text }
        guard let origin else { return URLParts.withoutCredentials(text) }
        return "\(origin)\(requestTarget)"
    }

    /// Whether it is what people write for a host and a port, such as `localhost:8080/x`, of which the
    /// host is a scheme to a URI.
    var isHostWithPort: Bool {
        guard scheme != nil, host == nil else { return false }
        let port = path.utf8.prefix { $0 != UInt8(ascii: "/") }
        return 1...5 ~= port.count
            && port.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
