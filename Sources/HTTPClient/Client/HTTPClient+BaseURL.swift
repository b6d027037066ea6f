internal import Wire

extension HTTPClient {
    /// Makes a client whose requests name what lies below a URL.
    ///
    ///     let api = try HTTPClient(baseURL: "https://api.example.com/v1") {
    ///         $0.timeouts.total = .seconds(30)
    ///     }
    ///     let users = try await api.send("users")
    ///
    /// - Parameters:
    ///   - baseURL: as for ``Configuration/init(baseURL:)-(String)``.
    ///   - configuration: default ``Configuration/default``.
    ///   - change: gets the configuration, to change more of it. Default: it stays as it is.
    /// - Throws: as ``Configuration/init(baseURL:)-(String)``.
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
    /// Makes the default configuration with a base URL (``HTTPClient/Settings/baseURL``).
    ///
    /// - Parameter baseURL: absolute. It is read as the text of a request is: what people write and a
    ///   URL may not hold is percent-encoded.
    /// - Throws: `.invalidRequest`: `.url` for text that is no URL, `.relativeURL` and
    ///   `.missingScheme` for one that is not absolute, `.unsupportedScheme` for one that is neither
    ///   http nor https.
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
