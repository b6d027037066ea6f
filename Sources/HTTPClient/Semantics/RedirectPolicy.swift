internal import Wire

/// Decides where a response leads and what the next request keeps (RFC 9110 §15.4).
struct RedirectPolicy: Sendable {
    /// Says what follows from a response.
    enum Verdict: Sendable, Hashable {
        /// It leads nowhere.
        case stay
        case step(Step)
        case problem(HTTPRedirectProblem)
    }

    /// Names the next request by what becomes of the one before.
    struct Step: Sendable, Hashable {
        /// Absolute, http or https, without userinfo.
        let location: URI
        let method: HTTPMethod
        /// The content, and the fields about it, are left out.
        var dropsContent = false
        /// The next request goes to another origin.
        var leavesOrigin = false
        /// The next request is not protected, and this one was.
        var isDowngrade = false
    }

    let settings: HTTPRedirects
    let keepsRequest: Bool

    /// Whether a status may lead elsewhere.
    static func isRedirect(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Judges a response.
    ///
    /// - Parameters:
    ///   - head: of the response.
    ///   - url: that was asked; absolute.
    ///   - method: with which.
    ///   - steps: taken before.
    /// - Returns: `.stay` for a status that leads nowhere, and for one without Location.
    func verdict(
        on head: ResponseHead,
        from url: URI,
        _ method: HTTPMethod,
        behind steps: Int
    ) -> Verdict {
        guard Self.isRedirect(head.status), let text = head.headers[.location] else { return .stay }
        let locations = head.headers.values(.location)
        guard locations.allSatisfy({ $0 == text }) else {
            return .problem(.invalidLocation(locations.joined(separator: ", ")))
        }
        guard steps < settings.limit else {
            return .problem(.tooMany(limit: max(settings.limit, 0)))
        }
        let location: URI
        switch Self.resolve(text, against: url) {
        case .success(let resolved): location = resolved
        case .failure: return .problem(.invalidLocation(text))
        }
        guard let origin = location.origin, let before = url.origin else {
            let scheme = location.scheme ?? ""
            let isWeb = scheme.lowercasedASCII == "http" || scheme.lowercasedASCII == "https"
            return .problem(isWeb ? .invalidLocation(text) : .unsupportedScheme(scheme))
        }
        let isDowngrade = before.scheme == .https && origin.scheme == .http
        guard !isDowngrade || settings.allowsDowngrade else { return .problem(.downgrade) }
        let next = nextMethod(head.status, method)
        return .step(
            Step(
                location: location,
                method: next,
                dropsContent: next != method,
                leavesOrigin: origin != before,
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

    /// Resolves a Location as browsers do: what may not stand in a URL is percent-encoded, the
    /// fragment of the URL before stays when there is no other (RFC 9110 §10.2.2), and a user name is
    /// nobody's but the user's to say.
    private static func resolve(_ text: String, against url: URI) -> Result<URI, WireError> {
        Result { () throws(WireError) in
            var parts = URLParts(url.resolve(try URI(percentEncoding: text)))
            parts.userinfo = nil
            parts.fragment = parts.fragment ?? url.fragment
            return try parts.uri()
        }
    }
}
