extension HTTPClient.Configuration {
    /// The default configuration: no cookie jar, and nothing stored on disk.
    ///
    /// It equals ``init()``.
    public static var `default`: HTTPClient.Configuration { HTTPClient.Configuration() }

    /// A configuration without state that would let a server recognize the client: no cookies and
    /// no TLS session resumption.
    ///
    /// Connections are still reused; ``HTTPClientSettings/connectionReuse`` changes that.
    public static var ephemeral: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
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
    ) throws(HTTPError) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        try FileContents.makeDirectory(directory)
        configuration.settings.cookies = .jar(
            try CookieJar(persistentAt: directory + "/cookies.json")
        )
        return configuration
    }
}

// The class `HTTPClient` shadows the module of the same name, so `HTTPClient.HTTPRequest` would not
// find the module's type. These aliases make that spelling and a short one work. They also resolve
// clashes with types of other packages without a module selector.
extension HTTPClient {
    /// The module's request type, for code that also sees another `HTTPRequest`.
    public typealias HTTPRequest = HTTPClient::HTTPRequest
    /// A request.
    public typealias Request = HTTPClient::HTTPRequest
    /// The module's response type, for code that also sees another `HTTPResponse`.
    public typealias HTTPResponse = HTTPClient::HTTPResponse
    /// A response with its body.
    public typealias Response = HTTPClient::HTTPResponse
    /// The header fields of a message.
    public typealias Headers = HTTPHeaders
    /// A request method.
    public typealias Method = HTTPMethod
    /// The body of a request.
    public typealias Body = HTTPBody
}
