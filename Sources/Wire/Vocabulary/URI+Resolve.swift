extension URI {
    /// Resolves a reference against this URI as its base (RFC 3986 §5.2 and §5.3).
    ///
    /// The result has the fragment of the reference, never that of the base. Dot segments are removed
    /// from its path.
    ///
    /// - Parameter reference: a relative reference; for an absolute URI, only dot segments are removed.
    /// - Returns: an absolute URI if this URI or the reference is absolute.
    public func resolve(_ reference: URI) -> URI {
        var result = Components()
        result.fragment = reference.fragment
        if let scheme = reference.scheme {
            result.scheme = scheme
            result.authority = reference.authorityText
            result.path = Self.removingDotSegments(reference.path, isAbsolute: true)
            result.query = reference.query
        } else {
            result.scheme = scheme
            let isAbsolute = scheme != nil
            if let authority = reference.authorityText {
                result.authority = authority
                result.path = Self.removingDotSegments(reference.path, isAbsolute: isAbsolute)
                result.query = reference.query
            } else {
                result.authority = authorityText
                if reference.path.isEmpty {
                    result.path = path
                    result.query = reference.query ?? query
                } else {
                    let path = merged(with: reference.path)
                    result.path = Self.removingDotSegments(path, isAbsolute: isAbsolute)
                    result.query = reference.query
                }
            }
        }
        // Valid parts form a valid URI, so the fallback is unreachable.
        return (try? URI(result.text)) ?? reference
    }

    /// The parts of the resolved URI.
    private struct Components {
        var scheme: String?
        var authority: String?
        var path = ""
        var query: String?
        var fragment: String?

        var text: String {
            var text = ""
            if let scheme { text += scheme + ":" }
            if let authority { text += "//" + authority }
            // Without an authority, the path must not begin with "//", nor its first segment contain a colon.
            if authority == nil, path.utf8.starts(with: "//".utf8) { text += "/." }
            if authority == nil, scheme == nil,
                path.utf8.prefix(while: { $0 != Byte.slash }).contains(Byte.colon)
            {
                text += "./"
            }
            text += path
            if let query { text += "?" + query }
            if let fragment { text += "#" + fragment }
            return text
        }
    }

    /// The text between "//" and the path; nil without "//".
    private var authorityText: String? {
        guard let host else { return nil }
        var text = ""
        if let userinfo { text += userinfo + "@" }
        text += isHostIPv6Literal ? "[" + host + "]" : host
        if let port { text += ":\(port)" }
        return text
    }

    /// Appends a relative path to this URI's path after its last "/" (RFC 3986 §5.2.3).
    private func merged(with path: String) -> String {
        if path.utf8.first == Byte.slash { return path }
        if host != nil, self.path.isEmpty { return "/" + path }
        guard let slash = self.path.utf8.lastIndex(of: Byte.slash) else { return path }
        return String(self.path[...slash]) + path
    }

    /// Removes "." and ".." segments in linear time, with a stack of segments (RFC 3986 §5.2.4).
    ///
    /// In an absolute URI, as in the RFC's algorithm, ".." removes a first segment but keeps its slash:
    /// `urn:a/../x` becomes `urn:/x`. A relative path stays relative.
    private static func removingDotSegments(_ path: String, isAbsolute: Bool) -> String {
        var isRooted = path.utf8.first == Byte.slash
        let segments = path.utf8.dropFirst(isRooted ? 1 : 0)
            .split(separator: Byte.slash, omittingEmptySubsequences: false)
        var kept: [Substring.UTF8View] = []
        var endsInDots = false
        for segment in segments {
            endsInDots = false
            switch segment.count {
            case 1 where segment.first == Byte.dot:
                endsInDots = true
            case 2 where segment.allSatisfy({ $0 == Byte.dot }):
                isRooted = isRooted || isAbsolute && kept.count == 1
                _ = kept.popLast()
                endsInDots = true
            default:
                kept.append(segment)
            }
        }
        var output: [UInt8] = isRooted ? [Byte.slash] : []
        for (index, segment) in kept.enumerated() {
            if index > 0 { output.append(Byte.slash) }
            output.append(contentsOf: segment)
        }
        if endsInDots, !kept.isEmpty { output.append(Byte.slash) }
        return String(decoding: output, as: UTF8.self)
    }
}
