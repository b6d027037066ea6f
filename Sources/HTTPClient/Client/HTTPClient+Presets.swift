package import SocketTransport

extension HTTPClient.Configuration {
    /// The default settings: no cookie jar, nothing on a disk.
    ///
    /// The same as ``init()``.
    public static var `default`: HTTPClient.Configuration { HTTPClient.Configuration() }

    /// Nothing that a server could know the client by again: no cookies, and no TLS session is resumed.
    ///
    /// Connections are reused as ever; ``HTTPClient/Settings/connectionReuse`` changes that.
    public static var ephemeral: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.settings.cookies = .disabled
        configuration.settings.security.resumption = .off
        return configuration
    }

    /// Cookies in a file, which are there again the next time; blocks while it reads the file.
    ///
    /// The file is `cookies.json`, which only its owner may read. It is written whenever a cookie has
    /// changed, soon after, and by ``CookieJar/flush()``. Session cookies end with the program.
    ///
    /// Clients of several configurations of one directory do not see each other's cookies, and the one
    /// that writes last decides what the file holds: make one, and derive the others
    /// (``HTTPClient/with(_:)``).
    ///
    /// - Parameter directory: where the file is; made when it is missing, for its owner alone (mode
    ///   0700), in a directory that is there.
    /// - Returns: a configuration whose ``HTTPClient/Settings/cookies`` are those of the file.
    /// - Throws: `.fileFailed` when the directory cannot be made, or the file cannot be read or is
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

#if DEBUG
extension HTTPClient {
    /// Makes a client on a loop that a simulation drives; in debug builds only.
    package convenience init(
        _ configuration: Configuration,
        simulatedOn loop: EventLoop,
        seed: UInt64
    ) {
        self.init(configuration, loop: loop, random: SplitMix64(seed: seed))
    }
}
#endif
