package import Wire

// To change what a redirect keeps, such as header fields, the method and the body, change this file. `CallState`
// refuses and follows by it, `Policies` lets the first attempt see whether a status is final, and `RequestPlanner`
// withholds the client's credentials from another origin. `RedirectRulesTests` needs no socket.

/// The rules for redirects: where a response leads, and what the next request keeps (RFC 9110 §15.4).
///
/// Pure.
package struct RedirectRules: Sendable {
    /// The header fields that hold credentials.
    ///
    /// They do not go to another origin, whether they are fields of the request or of the client.
    package static let credentialFields: [FieldName] = [
        .authorization, .cookie, .proxyAuthorization,
    ]

    /// The header fields about content, which are left out with the content.
    private static let contentFields: [FieldName] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation, .expect,
    ]

    /// The consequence of a response.
    package enum Decision: Sendable, Hashable {
        /// The response is not a redirect.
        case notARedirect
        case redirect(Redirection)
        case failure(HTTPError.RedirectReason)
    }

    /// The next request, described by its differences from the previous one.
    package struct Redirection: Sendable, Hashable {
        /// The absolute http or https URL, without userinfo.
        package let location: URI
        package let method: HTTPMethod
        /// Whether the content and the fields about it are left out.
        package var dropsBody = false
        /// Whether the next request goes to another origin.
        package var isCrossOrigin = false
        /// Whether the next request is not encrypted although this one was.
        package var isDowngrade = false
    }

    let options: HTTPRedirectOptions
    /// Whether method and body are kept, regardless of the status.
    let keepsRequest: Bool

    package init(_ options: HTTPRedirectOptions, keepsRequest: Bool = false) {
        self.options = options
        self.keepsRequest = keepsRequest
    }

    /// Decides on a response.
    ///
    /// - Parameters:
    ///   - head: the head of the response.
    ///   - url: the absolute URL of the request.
    ///   - method: the method of the request.
    ///   - count: the number of redirects followed before.
    /// - Returns: `.notARedirect` for other statuses, and for a response without Location. An empty Location
    ///   counts as none, because it would lead back to the same URL.
    package func decision(
        on head: ResponseHead,
        from url: URI,
        _ method: HTTPMethod,
        afterRedirects count: Int
    ) -> Decision {
        let locations = head.headers.values(.location).filter { !$0.isEmpty }
        guard options.mayFollow(head.status), let text = locations.first else {
            return .notARedirect
        }
        guard locations.allSatisfy({ $0 == text }) else {
            return .failure(.differentLocations(locations))
        }
        guard count < options.maxRedirects else {
            return .failure(.tooMany(limit: max(options.maxRedirects, 0)))
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
        guard !isDowngrade || options.allowsDowngrade else { return .failure(.downgrade) }
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
        case 303 where method == .post: return options.keepsPost.contains(status) ? method : .get
        case 303: return method == .head ? .head : .get
        case 301, 302:
            return method == .post && !options.keepsPost.contains(status) ? .get : method
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

    /// Returns the next request of a redirect.
    ///
    /// - Parameters:
    ///   - request: the request that was answered.
    ///   - redirection: the differences of the next request.
    ///   - url: the URL that was requested, with its userinfo.
    /// - Returns: the request to send next.
    package func request(
        after request: HTTPRequest,
        _ redirection: Redirection,
        from url: URI
    ) -> HTTPRequest {
        var next = request
        next.target = .uri(redirection.location)
        next.method = redirection.method
        if request.optionsBox?.settings.rawTarget != nil { next.options.rawTarget = nil }
        if redirection.dropsBody {
            next.body = .empty
            for name in Self.contentFields { next.headers.remove(name) }
        }
        if redirection.isDowngrade { next.headers.remove(.referer) }
        if redirection.isCrossOrigin {
            next.headers.remove(.host)
            // A validator is valid for one origin only. Another origin may use the same validator for a
            // different file, and its rest must not be appended to this one (RFC 9110 §13.1.5).
            if next.headers.contains(.ifRange) {
                next.headers.remove(.ifRange)
                next.headers.remove(.range)
            }
        }
        if redirection.isCrossOrigin, !options.sendsCredentialsCrossOrigin {
            for name in Self.credentialFields { next.headers.remove(name) }
            next.options.hasCrossedOrigin = true
        } else if let userinfo = url.userinfo, !next.headers.contains(.authorization) {
            // The location has no userinfo, and the origin is the same or trusted.
            next.headers.append(
                .authorization,
                BasicAuthentication.credentials(userinfo: userinfo)
            )
        }
        return next
    }
}
