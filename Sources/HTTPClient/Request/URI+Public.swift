internal import Wire

extension HTTPRequest {
    /// The URL without credentials, or the text that is no URL without what could be some.
    var publicURL: String { uri?.publicText ?? URLParts.withoutCredentials(url) }
}

extension URI {
    /// The text without credentials, for errors and logs.
    var publicText: String {
        guard userinfo != nil else { return text }
        guard let origin else { return URLParts.withoutCredentials(text) }
        return "\(origin)\(requestTarget)"
    }

    /// Whether it is what people write for a host and a port, such as `localhost:8080/x`, of which the
    /// host is a scheme to a URI.
    var isHostWithPort: Bool {
        guard scheme != nil, host == nil else { return false }
        let port = path.utf8.prefix { $0 != UInt8(ascii: "/") }
        return 1...5 ~= port.count
            && port.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
