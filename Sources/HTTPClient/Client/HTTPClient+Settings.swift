extension HTTPClient {
    /// The configuration of a client.
    public typealias Configuration = HTTPClientConfiguration

    /// The part of a configuration that derived clients can change.
    public typealias Settings = HTTPClientSettings

    /// Creates a client with other settings that shares this client's connections.
    ///
    ///     let patient = client.with { $0.timeouts.total = .seconds(600) }
    ///     let api = client.with {
    ///         $0.baseURL = try? URI("https://api.example.com/v2")
    ///         $0.headers[.authorization] = "Bearer …"
    ///     }
    ///
    /// Deriving a client is cheap: it opens no connection and starts no thread. Each client lives
    /// as long as it is referenced, independently of the other. The options of the pool itself,
    /// such as ``HTTPClientConfiguration/maxConnections``, cannot be changed; create another client for that.
    ///
    /// - Parameter change: a closure that modifies a copy of this client's settings.
    /// - Returns: a client with the modified settings.
    /// - Throws: any error that `change` throws.
    public func with<Failure: Error>(
        _ change: (inout Settings) throws(Failure) -> Void
    ) throws(Failure) -> HTTPClient {
        var configuration = configuration
        try change(&configuration.settings)
        return HTTPClient(configuration, sharing: self)
    }
}
