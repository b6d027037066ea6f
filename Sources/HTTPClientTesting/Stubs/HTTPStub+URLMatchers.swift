internal import HTTPClient
internal import Wire

extension HTTPStub.Matcher {
    /// Matches requests for this URL.
    ///
    /// - Parameters:
    ///   - text: a URL, parsed like the URL of a request. A relative reference, such as
    ///     `/users?page=2`, matches any scheme, host and port.
    ///   - query: whether the query is compared. Default ``QueryMatching/compared``.
    /// - Returns: the matcher; if the text is not a URL, every call fails with an
    ///   ``HTTPStubError`` for `.invalidStub`.
    public static func url(_ text: String, query: QueryMatching = .compared) -> Self {
        reading(text) { uri in
            var parts = addressMatchers(uri)
            let path = path(of: uri)
            parts.append(
                Self(path) { request in
                    Self.path(of: request.url) == path
                        ? .matched()
                        : .mismatched("the path is \(Self.path(of: request.url)) and not \(path)")
                }
            )
            guard query == .compared else { return parts }
            let items = items(of: uri)
            parts.append(
                Self(uri.query.map { "?\($0)" } ?? "") { request in
                    Self.items(of: request.url) == items
                        ? .matched()
                        : .mismatched(
                            "the query is \"\(shownQuery(of: request.url))\" and not \"\(shownQuery(of: uri))\""
                        )
                }
            )
            return parts
        }
    }

    /// Matches requests for this URL or a URL below it.
    ///
    /// The path is compared by whole segments: `/v1/users` is below `/v1`, and `/v10` is not.
    ///
    /// - Parameter text: a URL, parsed like the URL of a request; its query is ignored.
    /// - Returns: the matcher, as for ``url(_:query:)``.
    public static func url(prefix text: String) -> Self {
        reading(text) { uri in
            var path = path(of: uri)
            while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
            let prefix = path
            return addressMatchers(uri) + [
                Self("\(prefix)/…") { request in
                    let found = Self.path(of: request.url)
                    return found == prefix || found.hasPrefix("\(prefix)/")
                        ? .matched() : .mismatched("the path is \(found) and not below \(prefix)/")
                }
            ]
        }
    }

    /// Matches URLs that the template expands to, and sets ``HTTPStub/Request/variables``.
    ///
    /// - Parameter text: a template of a whole URL, or of path and query if it begins with `/` or
    ///   `{` (RFC 6570, `URITemplate.match(_:)`).
    /// - Returns: the matcher; if the text is not a template, every call fails with an
    ///   ``HTTPStubError`` for `.invalidStub`.
    public static func template(_ text: String) -> Self {
        let template: URITemplate
        do throws(URITemplate.TemplateError) {
            template = try URITemplate(parsing: text)
        } catch {
            return Self(text, .invalid(reason: "\"\(text)\" is not a template: \(error)"))
        }
        let isWhole = text.utf8.first != UInt8(ascii: "/") && text.utf8.first != UInt8(ascii: "{")
        return Self(text) { request in
            let url = request.url
            let whole = "\(url.origin.map { "\($0)" } ?? "")\(url.requestTarget)"
            guard let values = template.match(isWhole ? whole : url.requestTarget) else {
                return .mismatched(
                    "the template \(text) does not expand to \(LogText.url(url.text))"
                )
            }
            return .matched(values)
        }
    }

    /// Matches requests to this host, on any port.
    public static func host(_ name: String) -> Self {
        let canonical = CanonicalHost.text(name)
        return Self(name) { request in
            let host = request.url.origin?.host ?? ""
            return host == canonical
                ? .matched() : .mismatched("the host is \(host) and not \(name)")
        }
    }

    /// Matches requests with a query item of this name.
    ///
    /// - Parameters:
    ///   - name: the decoded name.
    ///   - value: the decoded value. Default nil: any value.
    /// - Returns: the matcher.
    public static func query(_ name: String, _ value: String? = nil) -> Self {
        Self("?\(name)\(value.map { "=\($0)" } ?? "")") { request in
            let values = request.query.filter { $0.name == name }.map { $0.value ?? "" }
            guard !values.isEmpty else { return .mismatched("the query has no \(name)") }
            guard let value, !values.contains(value) else { return .matched() }
            return .mismatched("\(name) in the query is not \(value)")
        }
    }

    // MARK: - Helpers

    private static func reading(_ text: String, _ parts: (URI) -> [Self]) -> Self {
        do throws(WireError) {
            let all = parts(try URI(encoding: text))
            return Self(all.map(\.description).joined(), .all(all))
        } catch {
            return Self(text, .invalid(reason: "\"\(text)\" is not a URL: \(error)"))
        }
    }

    /// Returns the matchers for scheme, host and port; none for a relative URL.
    private static func addressMatchers(_ uri: URI) -> [Self] {
        guard uri.isAbsolute || uri.host != nil else { return [] }
        guard let origin = uri.origin else {
            return [Self(uri.text, .invalid(reason: "\"\(uri.text)\" is neither http nor https"))]
        }
        return [
            Self("\(origin)") { request in
                request.url.origin == origin
                    ? .matched()
                    : .mismatched(
                        "the server is \(request.url.origin.map { "\($0)" } ?? "") and not \(origin)"
                    )
            }
        ]
    }

    private static func path(of uri: URI) -> String { uri.path.isEmpty ? "/" : uri.path }

    /// Returns the query without its secrets, because a mismatch becomes the text of an error.
    private static func shownQuery(of uri: URI) -> String {
        SecretNames.common.redacted(query: uri.query ?? "")
    }

    private static func items(of uri: URI) -> [String] {
        HTTPQueryItem.items(of: uri.query)
            .map { item in "\(item.name)\u{0}\(item.value ?? "\u{0}")" }
            .sorted()
    }
}
