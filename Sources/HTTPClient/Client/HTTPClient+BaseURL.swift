internal import Wire

extension HTTPClient {
    /// Creates a client that resolves the relative URLs of its requests against a base URL.
    ///
    ///     let api = try HTTPClient(baseURL: "https://api.example.com/v1") {
    ///         $0.timeouts.total = .seconds(30)
    ///     }
    ///     let users = try await api.send("users")
    ///
    /// - Parameters:
    ///   - baseURL: the base URL, as for ``HTTPClientConfiguration/init(baseURL:)-(String)``.
    ///   - configuration: the initial configuration. Default ``HTTPClientConfiguration/default``.
    ///   - change: a closure that modifies the configuration. Default: no change.
    /// - Throws: the same errors as ``HTTPClientConfiguration/init(baseURL:)-(String)``.
    public convenience init(
        baseURL: String,
        configuration: Configuration = .default,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws(HTTPError) {
        var configuration = configuration
        configuration.settings.baseURL = try Configuration.base(baseURL)
        change(&configuration)
        self.init(configuration)
    }
}

extension HTTPClient.Configuration {
    /// Creates the default configuration with a base URL (``HTTPClientSettings/baseURL``).
    ///
    /// - Parameter baseURL: an absolute URL. It is parsed like the text of a request: characters
    ///   that a URL must not contain are percent-encoded.
    /// - Throws: `.invalidRequest` with `.url` for text that is not a URL, `.relativeURL` or
    ///   `.missingScheme` for one that is not absolute, or `.unsupportedScheme` for a scheme
    ///   other than http and https.
    public init(baseURL: String) throws(HTTPError) {
        self.init()
        settings.baseURL = try Self.base(baseURL)
    }

    fileprivate static func base(_ text: String) throws(HTTPError) -> URI {
        let uri: URI
        do throws(WireError) {
            uri = try URI(encoding: text)
        } catch {
            throw HTTPError(invalidURL: text, error)
        }
        guard uri.origin == nil else { return uri }
        let fault: HTTPInvalidRequestReason
        if let scheme = uri.scheme {
            fault = .unsupportedScheme(scheme)
        } else {
            fault = uri.host == nil ? .relativeURL(uri.text) : .missingScheme(uri.text)
        }
        throw HTTPError(.invalidRequest(fault), phase: .preparing, request: uri.publicText)
    }
}
