internal import Wire

extension HTTPRequest {
    /// Whether the user says the field himself, for the request or, in `common`, for all of a client's.
    func says(_ name: FieldName, besides common: HTTPHeaders) -> Bool {
        headers.contains(name)
            || common.contains(name) && rareBox?.settings.hasLeftOrigin != true
    }
}

extension Policies {
    /// Adds the jar's cookies behind those of the request itself, but for those it has already.
    ///
    /// - Parameters:
    ///   - request: with the URL that it goes to.
    ///   - common: fields of all requests of the client.
    /// - Returns: the request as it is to be sent.
    func withCookies(_ request: HTTPRequest, _ common: HTTPHeaders) -> HTTPRequest {
        guard let jar = cookies, !jar.isEmpty, case .uri(let url) = request.target,
            let kept = jar.field(for: url)
        else { return request }
        var request = request
        guard request.headers.contains(.cookie) else {
            guard !request.says(.cookie, besides: common) else { return request }
            request.headers.append(.cookie, kept)
            return request
        }
        let own = request.headers.values(.cookie).joined(separator: "; ")
        let names = Set(own.split(separator: ";").map(Self.cookieName))
        let others = kept.split(separator: ";").filter { !names.contains(Self.cookieName($0)) }
        guard !others.isEmpty else { return request }
        let pairs = others.map { $0.first == " " ? $0.dropFirst() : $0 }
        request.headers.replace(.cookie, with: "\(own); \(pairs.joined(separator: "; "))")
        return request
    }

    private static func cookieName(_ pair: Substring) -> Substring {
        let name = pair.prefix { $0 != "=" }
        return name.first == " " ? name.dropFirst() : name
    }
}
