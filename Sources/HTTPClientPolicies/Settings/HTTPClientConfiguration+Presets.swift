internal import Wire

extension HTTPClientConfiguration {
    /// The default configuration: no cookie jar, and nothing stored on disk.
    ///
    /// It equals ``init()``.
    public static var `default`: HTTPClientConfiguration { HTTPClientConfiguration() }

    /// A configuration without state that would let a server recognize the client: no cookies and
    /// no TLS session resumption.
    ///
    /// Connections are still reused; ``HTTPClientSettings/connectionReuse`` changes that.
    public static var ephemeral: HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        configuration.settings.cookies = .disabled
        configuration.settings.security.resumption = .off
        return configuration
    }

    /// Returns a configuration that stores cookies in a file across program runs.
    ///
    /// The call blocks while it reads the file. The file is `cookies.json`, readable only by its
    /// owner. It is written shortly after a cookie changes, and by ``CookieJar/flush()``. Session
    /// cookies end with the program.
    ///
    /// Create only one such configuration per directory, and derive other clients from its client
    /// (``HTTPClient/with(_:)``). Clients of several configurations do not see each other's
    /// cookies, and the last one to write determines the content of the file.
    ///
    /// - Parameter directory: the directory of the file. If missing, it is created with mode 0700;
    ///   its parent directory must exist.
    /// - Returns: a configuration whose ``HTTPClientSettings/cookies`` use the file.
    /// - Throws: `.fileFailed` if the directory cannot be created, or if the file is unreadable or
    ///   damaged.
    public static func persistent(
        directory: String
    ) throws(HTTPError) -> HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        try FileContents.makeDirectory(directory)
        configuration.settings.cookies = .jar(
            try CookieJar(persistentAt: directory + "/cookies.json")
        )
        return configuration
    }
}

extension HTTPClientConfiguration {
    /// Creates the default configuration with a base URL (``HTTPClientSettings/baseURL``).
    ///
    /// - Parameter baseURL: an absolute URL. It is parsed like the text of a request: characters
    ///   that a URL must not contain are percent-encoded.
    /// - Throws: `.invalidRequest` with `.url` for text that is not a URL, `.missingScheme` for a host or a host with a
    ///   port without a scheme, `.relativeURL` for an empty text or a path, or `.unsupportedScheme` for a scheme other
    ///   than http and https.
    public init(baseURL: String) throws(HTTPError) {
        self.init()
        settings.baseURL = try Self.base(baseURL)
    }

    private static func base(_ text: String) throws(HTTPError) -> URI {
        let uri: URI
        do throws(WireError) {
            uri = try URI(encoding: text)
        } catch {
            throw HTTPError(invalidURL: text, error)
        }
        guard uri.origin == nil else { return uri }
        let reason: HTTPError.InvalidRequestReason
        if let scheme = uri.scheme, !uri.isHostWithPort {
            reason = .unsupportedScheme(scheme)
        } else {
            // A base URL is absolute. So text without a scheme begins with a host, unless it is a path or empty.
            let isPath =
                uri.host == nil && (uri.path.isEmpty || uri.path.utf8.first == UInt8(ascii: "/"))
            reason = isPath ? .relativeURL(uri.text) : .missingScheme(uri.text)
        }
        throw HTTPError(.invalidRequest(reason), phase: .preparing, request: uri.publicText)
    }
}
