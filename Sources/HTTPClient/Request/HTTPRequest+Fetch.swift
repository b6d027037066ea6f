extension HTTPRequest {
    /// Sends the request and collects the response.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the complete response, whatever its status.
    /// - Throws: as ``HTTPClient/send(_:)-(HTTPRequest)``.
    public func fetch(in client: HTTPClient = .shared) async throws(HTTPError) -> HTTPResponse {
        try await client.send(self)
    }

    /// Sends the request and collects the response, and gives it or what went wrong.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: what ``fetch(in:)`` returns or throws.
    public func result(in client: HTTPClient = .shared) async -> Result<HTTPResponse, HTTPError> {
        await client.result(of: self)
    }

    /// Sends the request and collects the response while the calling thread waits.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the complete response, whatever its status.
    /// - Throws: as ``HTTPClient/sendBlocking(_:)-(HTTPRequest)``.
    public func runSync(in client: HTTPClient = .shared) throws(HTTPError) -> HTTPResponse {
        try client.sendBlocking(self)
    }
}
