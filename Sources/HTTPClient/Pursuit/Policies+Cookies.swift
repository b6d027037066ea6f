internal import Wire

extension HTTPRequest {
    /// Whether the user says the field himself, for the request or, in `common`, for all of a client's.
    func says(_ name: FieldName, besides common: HTTPHeaders) -> Bool {
        headers.contains(name)
            || common.contains(name) && optionsBox?.settings.hasCrossedOrigin != true
    }
}

extension Policies {
    /// Adds the jar's cookies behind those of the request itself, but for those it has already.
    ///
    /// - Parameters:
    ///   - request: with the URL that it goes to.
    ///   - common: fields of all requests of the client.
    ///   - isShown: whether the request is only shown and not sent, so that no cookie counts as used.
    /// - Returns: the request as it is to be sent.
    func withCookies(
        _ request: HTTPRequest,
        _ common: HTTPHeaders,
        isShown: Bool = false
    ) -> HTTPRequest {
        guard let jar = cookies, !jar.isEmpty, case .uri(let url) = request.target,
            let kept = isShown ? jar.peekFieldBytes(for: url) : jar.fieldBytes(for: url)
        else { return request }
        var request = request
        guard request.headers.contains(.cookie) else {
            guard !request.says(.cookie, besides: common) else { return request }
            request.headers.append(.cookie, bytes: kept)
            return request
        }
        let own = request.headers.valueBytes(.cookie)
        let names = Set(own.flatMap(Self.pairs).map(Self.cookieName))
        let others = Self.pairs(kept).filter { !names.contains(Self.cookieName($0)) }
        guard !others.isEmpty else { return request }
        let all = own + others.map(Array.init)
        request.headers.replace(.cookie, with: Array(all.joined(separator: [semicolon, space])))
        return request
    }

    /// The pairs of a value of Cookie, without a space in front.
    private static func pairs(_ field: [UInt8]) -> [ArraySlice<UInt8>] {
        field.split(separator: semicolon).map { $0.first == space ? $0.dropFirst() : $0 }
    }

    private static func cookieName(_ pair: ArraySlice<UInt8>) -> [UInt8] {
        Array(pair.prefix { $0 != UInt8(ascii: "=") })
    }
}

private let semicolon = UInt8(ascii: ";")
private let space = UInt8(ascii: " ")
