internal import SocketTransport
public import Wire

extension HTTPRequest {
    /// The URL as text: absolute, or relative to the client's base URL.
    ///
    /// A new value is parsed as ``init(_:method:headers:body:)`` parses it. If it does not
    /// parse, the text is kept and sending the request fails.
    public var url: String {
        get {
            switch target {
            case .uri(let uri): uri.text
            case .invalid(_, let text, _): text
            }
        }
        set {
            target = Target(newValue)
            clearURLError()
        }
    }

    /// The parsed URL; nil if the text does not parse.
    public var uri: URI? {
        if case .uri(let uri) = target { uri } else { nil }
    }

    /// The scheme, in lower case if the URL parses; nil in a relative URL.
    ///
    /// The parts of a URL can be set in any order. If they do not form a URL, sending the request fails.
    /// Setting nil makes the URL relative.
    public var scheme: String? {
        get {
            part {
                $0.scheme
            } parts: {
                $0.scheme
            }
        }
        set { change { $0.scheme = newValue } }
    }

    /// The host, with an IPv6 address written without brackets; nil in a URL without a host.
    ///
    /// Setting a host in a URL without a scheme also sets the scheme to `https`. A URL with a host does
    /// not take its scheme from the base URL, and https is the safe choice. Setting nil also removes the
    /// port and the credentials.
    public var host: String? {
        get {
            part {
                $0.host
            } parts: { parts in
                guard let host = parts.host, host.hasPrefix("["), host.hasSuffix("]") else {
                    return parts.host
                }
                return String(host.dropFirst().dropLast())
            }
        }
        set {
            change { parts in
                guard let newValue else {
                    (parts.userinfo, parts.host, parts.port) = (nil, nil, nil)
                    return
                }
                let isBare = newValue.utf8.contains(UInt8(ascii: ":")) && !newValue.hasPrefix("[")
                parts.host = isBare ? "[\(newValue)]" : newValue
                if parts.scheme == nil { parts.scheme = "https" }
            }
        }
    }

    /// The port as written in the URL; nil if there is none, which means the default port of the scheme.
    ///
    /// A request with a port outside 0...65535 fails with `.invalidRequest(.url)`.
    public var port: Int? {
        get {
            part {
                $0.port
            } parts: {
                $0.port.flatMap { Int($0) }
            }
        }
        set { change { $0.port = newValue.map { "\($0)" } } }
    }

    /// The percent-encoded path, which may be empty.
    ///
    /// In a new value, `?` and `#` are part of the path and become `%3F` and `%23`. Other characters that
    /// a path cannot contain are percent-encoded too, but valid percent triplets are kept. If the URL has
    /// a host, a missing leading slash is added.
    public var path: String {
        get {
            part {
                $0.path
            } parts: {
                $0.path
            }
        }
        set { change { $0.path = URLParts.encoding("?#", in: newValue) } }
    }

    /// The items of the query, in order and with repeats; empty if there is no query.
    ///
    /// Existing items keep their spelling. Setting an empty array removes the query and its `?`.
    public var query: [HTTPQueryItem] {
        get {
            HTTPQueryItem.items(
                of: part {
                    $0.query
                } parts: {
                    $0.query
                }
            )
        }
        set {
            setQuery(newValue.map(\.encoded).joined(separator: "&"), isThere: !newValue.isEmpty)
        }
    }

    // MARK: - Adding to the query

    /// Adds parameters at the end of the query.
    ///
    /// If a value has no text form, sending the request fails with `.invalidRequest(.parameter(…))`.
    /// Examples are a number that is not finite, and a nested array in a comma-joined array.
    ///
    /// - Parameters:
    ///   - parameters: names and values in order; an empty array adds nothing.
    ///   - style: the format of arrays, Booleans and dates.
    public mutating func add(
        parameters: HTTPParameters,
        style: HTTPParameters.Style = HTTPParameters.Style()
    ) {
        do throws(ParameterSerializer.EncodeError) {
            addToQuery(try ParameterSerializer.query(parameters, style))
        } catch {
            recordError(error)
        }
    }

    /// Records a parameter that cannot be sent; only the first one is kept.
    package mutating func recordError(_ failure: ParameterSerializer.EncodeError) {
        guard optionsBox?.settings.urlError == nil else { return }
        options.urlError = .parameter(name: failure.name, failure.reason)
    }

    /// Adds items at the end of the query, in order.
    package mutating func add(queryItems items: [HTTPQueryItem]) {
        guard !items.isEmpty else { return }
        addToQuery(items.map(\.encoded).joined(separator: "&"))
    }

    /// Adds the items whose names the query does not have at its end, in order.
    package mutating func add(missing items: [HTTPQueryItem]) {
        guard !items.isEmpty else { return }
        let names = Set(query.map(\.name))
        add(queryItems: items.filter { !names.contains($0.name) })
    }

    private mutating func addToQuery(_ text: String) {
        guard !text.isEmpty else { return }
        change { parts in
            let before = parts.query ?? ""
            parts.query = before.isEmpty ? text : "\(before)&\(text)"
        }
    }

    /// Takes the URL of another request, with the error of its template or its parameters.
    mutating func setURL(of other: HTTPRequest) {
        target = other.target
        clearURLError()
        if let error = other.optionsBox?.settings.urlError { options.urlError = error }
    }

    private mutating func setQuery(_ text: String, isThere: Bool) {
        clearURLError()
        change { $0.query = isThere ? text : nil }
    }

    // MARK: - Parts of the URL

    private func part<Part>(_ ofURI: (URI) -> Part, parts: (URLParts) -> Part) -> Part {
        switch target {
        case .uri(let uri): ofURI(uri)
        case .invalid(let found, _, _): parts(found)
        }
    }

    package mutating func change(_ change: (inout URLParts) -> Void) {
        var parts =
            switch target {
            case .uri(let uri): URLParts(uri)
            case .invalid(let parts, _, _): parts
            }
        change(&parts)
        do {
            target = .uri(try parts.uri())
        } catch {
            target = .invalid(parts, parts.text, error)
        }
    }

    private mutating func clearURLError() {
        if optionsBox?.settings.urlError != nil { options.urlError = nil }
    }
}

extension HTTPRequest {
    /// Returns the URL of the request: its own, or one below the base URL of the client.
    package func absoluteURL(below base: URI?) throws(HTTPError) -> URI {
        if let reason = optionsBox?.settings.invalidReason {
            throw HTTPError.invalid(reason, method, publicURL)
        }
        switch target {
        case .invalid(_, let text, let error):
            throw HTTPError.invalid(.url(text, error), method, publicURL)
        case .uri(let uri) where uri.isAbsolute:
            return uri
        case .uri(let uri):
            guard let base, base.isAbsolute else {
                throw HTTPError.invalid(.relativeURL(uri.text), method, uri.publicText)
            }
            guard uri.host == nil else {
                throw HTTPError.invalid(.missingScheme(uri.text), method, uri.publicText)
            }
            do {
                return try Self.joined(base, uri)
            } catch {
                throw HTTPError.invalid(.url(uri.text, error), method, uri.publicText)
            }
        }
    }

    /// Joins a reference without a host to a base URL.
    ///
    /// Its path is appended to the path of the base, with exactly one slash between them.
    ///
    /// RFC 3986 resolution would drop the last segment of `https://host/v1`, or the whole path for
    /// a reference that begins with a slash. A reference without a path keeps the path of the base.
    /// Dot segments are removed. The query is that of the base, followed by that of the reference.
    /// The result has no fragment.
    package static func joined(_ base: URI, _ reference: URI) throws(WireError) -> URI {
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
