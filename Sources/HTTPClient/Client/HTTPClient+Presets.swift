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
