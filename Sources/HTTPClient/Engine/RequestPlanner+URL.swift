internal import SocketTransport
internal import Wire

extension RequestPlanner {
    /// Finds the URL that is asked: the request's own, or below the client's base URL.
    static func url(
        of request: HTTPRequest,
        _ base: URI?
    ) throws(HTTPError) -> URI {
        if let fault = request.optionsBox?.settings.fault {
            throw invalid(fault, request.method, request.publicURL)
        }
        switch request.target {
        case .invalid(_, let text, let error):
            throw invalid(.url(text, error), request.method, request.publicURL)
        case .uri(let uri) where uri.isAbsolute:
            return uri
        case .uri(let uri):
            guard let base, base.isAbsolute else {
                throw invalid(.relativeURL(uri.text), request.method, uri.publicText)
            }
            guard uri.host == nil else {
                throw invalid(.missingScheme(uri.text), request.method, uri.publicText)
            }
            do {
                return try joined(base, uri)
            } catch {
                throw invalid(.url(uri.text, error), request.method, uri.publicText)
            }
        }
    }

    /// Joins a reference without a host to a base URL as people expect: the path goes below the
    /// base's path, whether or not either of them has a slash where they meet.
    ///
    /// RFC 3986 resolution would drop the last segment of `https://host/v1`, or the whole path for
    /// a reference that begins with a slash. An empty path is the base's own, with its last slash.
    /// Dot segments are removed. The query is the base's and then the reference's; the fragment
    /// does not matter.
    static func joined(_ base: URI, _ reference: URI) throws(WireError) -> URI {
        var parts = URLParts(base)
        var below = Substring(reference.path)
        while below.utf8.first == UInt8(ascii: "/") { below.removeFirst() }
        if !below.isEmpty {
            while parts.path.utf8.last == UInt8(ascii: "/") { parts.path.removeLast() }
            parts.path += "/" + below
        }
        if parts.path.isEmpty { parts.path = "/" }
        if let query = reference.query, !query.isEmpty || parts.query == nil {
            let before = parts.query ?? ""
            parts.query = before.isEmpty ? query : "\(before)&\(query)"
        }
        parts.fragment = nil
        let whole = try URI(parsing: parts.text)
        // An absolute one comes back without its dot segments.
        return parts.path.hasSubstring("/.") ? base.resolve(whole) : whole
    }
}
