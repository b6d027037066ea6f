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
