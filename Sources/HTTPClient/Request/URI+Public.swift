internal import Wire

extension URI {
    /// The text without credentials, for errors and logs.
    var publicText: String {
        guard userinfo != nil, let origin else { return text }
        return "\(origin)\(requestTarget)"
    }
}
