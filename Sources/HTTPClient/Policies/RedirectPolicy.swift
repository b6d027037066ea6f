internal import Wire

/// The rules about where a response leads and what the next request keeps (RFC 9110 §15.4).
struct RedirectPolicy: Sendable {
    /// The consequence of a response.
    enum Decision: Sendable, Hashable {
        /// The response is not a redirect.
        case notARedirect
        case redirect(Redirection)
        case failure(HTTPRedirectFailureReason)
    }

    /// The next request, described by its differences from the previous one.
    struct Redirection: Sendable, Hashable {
        /// The absolute http or https URL, without userinfo.
        let location: URI
        let method: HTTPMethod
        /// Whether the content and the fields about it are left out.
        var dropsBody = false
        /// Whether the next request goes to another origin.
        var isCrossOrigin = false
        /// Whether the next request is not encrypted although this one was.
        var isDowngrade = false
    }

    let settings: HTTPRedirectOptions
    let keepsRequest: Bool

    /// Decides on a response.
    ///
    /// - Parameters:
    ///   - head: the head of the response.
    ///   - url: the absolute URL of the request.
    ///   - method: the method of the request.
    ///   - count: the number of redirects followed before.
    /// - Returns: `.notARedirect` for other statuses, and for a response without Location. An empty Location
    ///   counts as none, because it would lead back to the same URL.
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

    /// Returns the method of the next request.
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

    /// Returns a Location that is not UTF-8 with its bytes percent-encoded.
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

    /// Resolves a Location as browsers do.
    ///
    /// Characters that are not allowed in a URL are percent-encoded. The fragment of the previous URL stays
    /// when there is no other (RFC 9110 §10.2.2). Userinfo is removed, because only the user may set it.
    private static func resolve(_ text: String, against url: URI) -> Result<URI, WireError> {
        Result { () throws(WireError) in
            var parts = URLParts(url.resolve(try URI(encoding: text)))
            parts.userinfo = nil
            parts.fragment = parts.fragment ?? url.fragment
            return try parts.uri()
        }
    }
}
