// The class `HTTPClient` shadows the module of the same name, so `HTTPClient.HTTPRequest` would not
// find the module's type. These names make that spelling work, and the short one, and resolve
// clashes with other packages' types without a module selector.
extension HTTPClient {
    /// The module's request type, for code that has another `HTTPRequest` in sight.
    public typealias HTTPRequest = HTTPClient::HTTPRequest
    /// A request.
    public typealias Request = HTTPClient::HTTPRequest
    /// The module's response type, for code that has another `HTTPResponse` in sight.
    public typealias HTTPResponse = HTTPClient::HTTPResponse
    /// A response with its body.
    public typealias Response = HTTPClient::HTTPResponse
    /// The field section of a message.
    public typealias Headers = HTTPHeaders
    /// A request method.
    public typealias Method = HTTPMethod
    /// The content of a request.
    public typealias Body = HTTPBody
}
