public import Wire

extension HTTPRequest {
    /// The URL as text: absolute, or relative to the client's base URL.
    ///
    /// Text that is set is read as ``init(_:method:headers:body:)-(String,_,_,_)`` reads it. What does not parse is
    /// kept, and said when the request is sent.
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

    /// The URL, parsed; nil when it does not parse.
    public var uri: URI? {
        if case .uri(let uri) = target { uri } else { nil }
    }

    /// The scheme, in lower case when the URL parses; nil in a relative URL.
    ///
    /// The parts of a URL can be set in any order; whether they make one is said when the request is
    /// sent. Setting nil makes the URL relative.
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

    /// The host, an IPv6 address without its brackets; nil in a URL without one.
    ///
    /// Setting it in a URL without a scheme makes that `https`: a host that is named is not the
    /// client's base URL, and should be asked in private unless said otherwise. Setting nil removes
    /// port and credentials too.
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

    /// The port as written; nil when there is none, which means the scheme's own.
    ///
    /// A request whose port is not in 0...65535 throws `.invalidRequest(.url)` when it is sent.
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

    /// The path, percent-encoded; may be empty.
    ///
    /// In text that is set `?` and `#` are part of the path and become `%3F` and `%23`; so does what
    /// else a path cannot hold, but for valid triplets. A slash in front is added where the URL has a
    /// host.
    public var path: String {
        get {
            part {
                $0.path
            } parts: {
                $0.path
            }
        }
        set { change { $0.path = Self.encoding("?#", in: newValue) } }
    }

    /// The items of the query, in order, repeats kept; empty without a query.
    ///
    /// Items that were there before keep their spelling. Setting none removes the query with its `?`.
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

    /// Adds parameters to the query, behind those it has.
    ///
    /// A value that no text stands for (a number that is none, an array in an array joined with
    /// commas) is said when the request is sent: `.invalidRequest(.parameter(…))`.
    ///
    /// - Parameters:
    ///   - parameters: names and values in their order; an empty array sends nothing.
    ///   - style: how arrays, truth values and dates are spelled.
    public mutating func add(
        parameters: HTTPParameters,
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) {
        do throws(ParameterSerializer.EncodeError) {
            addToQuery(try ParameterSerializer.query(parameters, style))
        } catch {
            recordError(error)
        }
    }

    /// Notes a parameter that cannot be sent; the first of them is said.
    mutating func recordError(_ failure: ParameterSerializer.EncodeError) {
        guard optionsBox?.settings.urlError == nil else { return }
        options.urlError = .parameter(name: failure.name, failure.reason)
    }

    /// Adds one parameter to the query.
    ///
    /// - Parameters:
    ///   - name: percent-encoded as needed; so is the value.
    ///   - value: nil adds the name alone, without `=`.
    public mutating func addQueryParameter(name: String, value: String?) {
        add(queryItem: HTTPQueryItem(name, value))
    }

    /// Adds an item to the query.
    public mutating func add(queryItem item: HTTPQueryItem) {
        addToQuery(item.encoded)
    }

    /// Adds items to the query, in their order.
    public mutating func add(queryItems items: [HTTPQueryItem]) {
        guard !items.isEmpty else { return }
        addToQuery(items.map(\.encoded).joined(separator: "&"))
    }

    private mutating func addToQuery(_ text: String) {
        guard !text.isEmpty else { return }
        change { parts in
            let before = parts.query ?? ""
            parts.query = before.isEmpty ? text : "\(before)&\(text)"
        }
    }

    private mutating func setQuery(_ text: String, isThere: Bool) {
        clearURLError()
        change { $0.query = isThere ? text : nil }
    }

    // MARK: - Parts

    private func part<Part>(_ ofURI: (URI) -> Part, parts: (URLParts) -> Part) -> Part {
        switch target {
        case .uri(let uri): ofURI(uri)
        case .invalid(let found, _, _): parts(found)
        }
    }

    mutating func change(_ change: (inout URLParts) -> Void) {
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

    /// Percent-encodes the delimiters that would end a part early.
    static func encoding(_ delimiters: String, in text: String) -> String {
        guard text.utf8.contains(where: { delimiters.utf8.contains($0) }) else { return text }
        var encoded = ""
        for character in text.unicodeScalars {
            if delimiters.unicodeScalars.contains(character) {
                encoded += PercentCoding.encode(String(character))
            } else {
                encoded.unicodeScalars.append(character)
            }
        }
        return encoded
    }
}
