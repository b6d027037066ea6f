// Functions that most programs call for every request have a second overload for HTTPRequest, which also takes
// literals. That overload is called directly, without a generic conversion at run time.
extension HTTPClient {
    /// Sends a GET request for a URL, or any value that makes a request, and collects the response.
    ///
    ///     let url = "https://api.example.com/users/\(id)"
    ///     let response = try await client.send(url)
    ///
    /// - Throws: the errors of ``send(_:)-(HTTPRequest)``.
    @_disfavoredOverload
    public func send(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPResponse {
        try await send(request.httpRequest)
    }

    /// Sends a GET request for a URL, or any value that makes a request, and returns once the response
    /// head has arrived.
    ///
    /// - Throws: the errors of ``stream(_:)-(HTTPRequest)``.
    @_disfavoredOverload
    public func stream(
        _ request: some HTTPRequestConvertible
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        try await stream(request.httpRequest)
    }

    /// Sends a GET request for a URL, or any value that makes a request, and blocks the calling thread
    /// until the response is complete.
    ///
    /// - Throws: the errors of ``sendBlocking(_:)-(HTTPRequest)``.
    @_disfavoredOverload
    public func sendBlocking(
        _ request: some HTTPRequestConvertible
    ) throws(HTTPError) -> HTTPResponse {
        try sendBlocking(request.httpRequest)
    }
}
