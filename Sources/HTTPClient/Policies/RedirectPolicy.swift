internal import Wire

/// Decides where a response leads and what the next request keeps (RFC 9110 §15.4).
struct RedirectPolicy: Sendable {
    /// Says what follows from a response.
    enum Decision: Sendable, Hashable {
        /// It leads nowhere.
        case notARedirect
        case redirect(Redirection)
        case failure(HTTPRedirectFailureReason)
    }

    /// Names the next request by what becomes of the one before.
    struct Redirection: Sendable, Hashable {
        /// Absolute, http or https, without userinfo.
        let location: URI
        let method: HTTPMethod
        /// The content, and the fields about it, are left out.
        var dropsBody = false
        /// The next request goes to another origin.
        var isCrossOrigin = false
        /// The next request is not protected, and this one was.
        var isDowngrade = false
    }

    let settings: HTTPRedirectOptions
    let keepsRequest: Bool

    /// Judges a response.
    ///
    /// - Parameters:
    ///   - head: of the response.
    ///   - url: that was asked; absolute.
    ///   - method: with which.
    ///   - count: taken before.
    /// - Returns: `.notARedirect` for a status that leads nowhere, and for one without Location; one that is
    ///   empty counts as none, for it would lead to where the request was.
    func decision(
        on head: ResponseHead,
        from url: URI,
        _ method: HTTPMethod,
        afterRedirects count: Int
    ) -> Decision {
        let locations = head.headers.values(.location).filter { !$0.isEmpty }
        guard settings.mayFollow(head.status), let text = locations.first else {
            return .notARedirect
        }
        guard locations.allSatisfy({ $0 == text }) else {
            return .failure(.differentLocations(locations))
        }
        guard count < settings.maxRedirects else {
            return .failure(.tooMany(limit: max(settings.maxRedirects, 0)))
        }
        let location: URI
        let reference = Self.reference(in: head.headers, text)
        switch Self.resolve(reference, against: url) {
        case .success(let resolved): location = resolved
        case .failure: return .failure(.invalidLocation(text))
        }
        guard let origin = location.origin, let before = url.origin else {
            let scheme = location.scheme ?? ""
            let isWeb = scheme.lowercasedASCII == "http" || scheme.lowercasedASCII == "https"
            return .failure(isWeb ? .invalidLocation(text) : .unsupportedScheme(scheme))
        }
        let isDowngrade = before.scheme == .https && origin.scheme == .http
        guard !isDowngrade || settings.allowsDowngrade else { return .failure(.downgrade) }
        let next = nextMethod(head.status, method)
        return .redirect(
            Redirection(
                location: location,
                method: next,
                dropsBody: next != method,
                isCrossOrigin: origin != before,
                isDowngrade: isDowngrade
            )
        )
    }

    /// Finds the method of the next request.
    private func nextMethod(_ status: HTTPStatus, _ method: HTTPMethod) -> HTTPMethod {
        guard !keepsRequest else { return method }
        switch status.code {
        case 303 where method == .post: return settings.keepsPost.contains(status) ? method : .get
        case 303: return method == .head ? .head : .get
        case 301, 302:
            return method == .post && !settings.keepsPost.contains(status) ? .get : method
        default: return method
        }
    }

    /// Spells a Location that is not UTF-8 with its bytes percent-encoded, as they are.
    private static func reference(in headers: HTTPHeaders, _ text: String) -> String {
        let bytes = headers.first { FieldName($0.name) == .location && $0.value == text }?
            .valueBytes
        guard let bytes, bytes.contains(where: { $0 >= 0x80 }),
            String(validating: bytes, as: UTF8.self) == nil
        else { return text }
        var reference = ""
        for byte in bytes {
            if byte < 0x80 {
                reference.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                reference += "%" + String(byte, radix: 16, uppercase: true)
            }
        }
        return reference
    }

    /// Resolves a Location as browsers do: what may not stand in a URL is percent-encoded, the
    /// fragment of the URL before stays when there is no other (RFC 9110 §10.2.2), and a user name is
    /// nobody's but the user's to say.
    private static func resolve(_ text: String, against url: URI) -> Result<URI, WireError> {
        Result { () throws(WireError) in
            var parts = URLParts(url.resolve(try URI(encoding: text)))
            parts.userinfo = nil
            parts.fragment = parts.fragment ?? url.fragment
            return try parts.uri()
        }
    }
}
