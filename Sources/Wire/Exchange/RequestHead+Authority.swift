extension RequestHead {
    /// The host and optional port of the request (RFC 9112 §3.3, RFC 9110 §7.2).
    ///
    /// If the target contains an authority (absolute-form, and authority-form for CONNECT), this is
    /// it, and Host is ignored. Otherwise it is the value of Host. Nil if there is neither, as in a
    /// request of HTTP/1.0; empty if Host is empty.
    public var authority: String? {
        let text = target.text
        switch TargetForm(of: text, method) {
        case .authority: return text
        case .absolute(let range): return Self.slice(text, range)
        case .origin, .asterisk: return headers[.host]
        }
    }

    /// Returns the URI that the client requested (RFC 9112 §3.3).
    ///
    /// - Parameter scheme: the scheme of the connection, https if it is secured. An absolute target
    ///   has its own scheme, which takes precedence; the server must decide whether to trust it.
    /// - Returns: an absolute URI, without a path if the target has none.
    /// - Throws: `.missingHost` without an authority; `.invalidURI` if the parts do not form a URI,
    ///   because request targets may contain bytes that URIs may not.
    public func targetURI(scheme: Origin.Scheme) throws(WireError) -> URI {
        let text = target.text
        let form = TargetForm(of: text, method)
        if case .absolute = form { return try URI(text) }
        guard let authority, !authority.isEmpty else { throw .missingHost }
        let path = form == .origin ? text : ""
        return try URI("\(scheme.rawValue)://\(authority)\(path)")
    }

    /// Applies the rules for Host that a server must enforce (RFC 9112 §3.2).
    ///
    /// - Throws: `.missingHost` (only in HTTP/1.1), `.repeatedHost` or `.malformedHost`.
    func checkHost() throws(WireError) {
        if let storage = headers.storage, let index = headers.firstIndex(of: .host) {
            guard headers.firstIndex(of: .host, from: index + 1) == nil else {
                throw .repeatedHost
            }
            let isValid = storage.withBytes(storage[index].value) {
                HostSyntax.isValid($0, .optional)
            }
            guard isValid else { throw .malformedHost }
        } else if version >= .http11 {
            throw .missingHost
        }
        let text = target.text
        let bytes = text.utf8.span
        let isValid =
            switch TargetForm(of: text, method) {
            case .authority: HostSyntax.isValid(bytes, .port)
            case .absolute(let range): HostSyntax.isValid(bytes.extracting(range), .host)
            case .origin, .asterisk: true
            }
        guard isValid else { throw .malformedHost }
    }

    /// Whether the client waits for 100 (Continue) before it sends a body (RFC 9110 §10.1.1).
    ///
    /// In HTTP/1.0 the expectation is ignored.
    package var expectsContinue: Bool {
        version >= .http11 && headers.containsToken("100-continue", in: .expect)
    }

    private static func slice(_ text: String, _ range: Range<Int>) -> String {
        String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
    }
}

/// The form of a valid target, and the position of its authority (RFC 9112 §3.2).
private enum TargetForm: Equatable {
    case origin
    case absolute(Range<Int>)
    case authority
    case asterisk

    init(of text: String, _ method: HTTPMethod) {
        let bytes = text.utf8.span
        if method == .connect {
            self = .authority
        } else if bytes.isEmpty || bytes[0] == Byte.slash {
            self = .origin
        } else if bytes[0] == Byte.asterisk {
            self = .asterisk
        } else {
            var start = 0
            while start < bytes.count, bytes[start] != Byte.slash { start += 1 }
            start = min(start + 2, bytes.count)
            var end = start
            while end < bytes.count, bytes[end] != Byte.slash, bytes[end] != Byte.question {
                end += 1
            }
            self = .absolute(start..<end)
        }
    }
}
