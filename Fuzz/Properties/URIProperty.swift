internal import Wire

/// Checks that parsing, formatting and resolving agree with each other and with RFC 3986.
///
/// Input: a base, LF, a reference; without LF the reference alone.
package func checkURI(_ input: FuzzInput) {
    let lines = input.rest.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    let texts = lines.map { String(decoding: $0, as: UTF8.self) }
    for text in texts {
        if let uri = try? URI(text) { checkParts(of: uri) }
        checkEncoding(of: text)
    }
    guard let last = texts.last, let reference = try? URI(last) else { return }
    for text in ["http://a/b/c/d;p?q", "urn:a/b", texts[0]] {
        guard let base = try? URI(text), base.isAbsolute else { continue }
        checkResolved(base.resolve(reference), from: base, reference)
    }
}

/// Checks that joining the parts gives the same URI, and that its request target can be sent.
private func checkParts(of uri: URI) {
    let again = try? URI(URIModel(uri).text)
    precondition(
        again.map { URIModel($0) } == URIModel(uri),
        "the components do not form the same URI"
    )
    guard uri.origin != nil else { return }
    var head: [UInt8] = []
    let request = RequestHead(method: .get, target: .origin(uri.requestTarget))
    try! RequestHeadEncoder.encode(request, into: &head)
    let sent = try! URI(
        uri.requestTarget.hasPrefix("//") ? "/." + uri.requestTarget : uri.requestTarget
    )
    precondition(sent.query == uri.query, "the request target has another query")
}

/// Checks percent-encoding of a URI.
///
/// A valid URI does not change, unless its host is encoded. Encoding twice equals encoding once. A
/// converted host is a name without other parts.
private func checkEncoding(of text: String) {
    let encoded = try? URI(percentEncoding: text)
    if let uri = try? URI(text), uri.host?.contains("%") != true {
        precondition(encoded == uri, "a valid URI was changed by percent-encoding")
    }
    guard let encoded else { return }
    precondition(
        (try? URI(percentEncoding: encoded.text)) == encoded,
        "a second percent-encoding changes the URI"
    )
    precondition((try? URI(encoded.text)) == encoded)
    if let host = encoded.host, !contains(host, in: text) {
        let isName = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        precondition(isName, "the host was converted to the invalid name \(host)")
    }
}

/// Returns whether a text contains another one, byte by byte.
///
/// Embedded Swift, which Tests/Arm64 uses, has no `contains(_:)` for strings.
private func contains(_ part: String, in text: String) -> Bool {
    var rest = text.utf8[...]
    while !rest.starts(with: part.utf8) {
        guard rest.popFirst() != nil else { return false }
    }
    return true
}

private func checkResolved(_ result: URI, from base: URI, _ reference: URI) {
    let model = URIModel(resolving: URIModel(reference), against: URIModel(base))
    var expected = [model.path]
    if model.authority == nil {
        // RFC 3986 §3.3 forbids such a path without an authority; a dot segment is put before it.
        if model.path.hasPrefix("//") { expected = ["/." + model.path] }
    }
    precondition(expected.contains(result.path), "\(result.path) is not \(expected)")
    var parts = URIModel(result)
    parts.path = model.path
    precondition(parts == model, "\(result.text) is not \(model.text)")
    if !reference.path.isEmpty {
        precondition(base.resolve(result) == result, "resolving the result again changes it")
    }
}

/// The five components of RFC 3986 §5.2.2, with its algorithms implemented literally, as the reference.
private struct URIModel: Equatable {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    init(_ uri: URI) {
        scheme = uri.scheme
        if let host = uri.host {
            let port = uri.port.map { ":\($0)" } ?? ""
            let user = uri.userinfo.map { "\($0)@" } ?? ""
            authority = user + (uri.isHostIPv6Literal ? "[\(host)]" : host) + port
        }
        (path, query, fragment) = (uri.path, uri.query, uri.fragment)
    }

    /// Resolves a reference (§5.2.2).
    init(resolving reference: URIModel, against base: URIModel) {
        self = reference
        if reference.scheme != nil || reference.authority != nil {
            path = Self.removingDotSegments(reference.path)
        } else if reference.path.isEmpty {
            path = base.path
            query = reference.query ?? base.query
        } else if reference.path.hasPrefix("/") {
            path = Self.removingDotSegments(reference.path)
        } else {
            path = Self.removingDotSegments(base.merged(reference.path))
        }
        if reference.scheme == nil {
            if reference.authority == nil { authority = base.authority }
            scheme = base.scheme
        }
    }

    /// The recomposed URI (§5.3).
    var text: String {
        var text = ""
        if let scheme { text += "\(scheme):" }
        if let authority { text += "//\(authority)" }
        text += path
        if let query { text += "?\(query)" }
        if let fragment { text += "#\(fragment)" }
        return text
    }

    /// Returns the merged path (§5.2.3).
    private func merged(_ reference: String) -> String {
        if authority != nil, path.isEmpty { return "/\(reference)" }
        guard let slash = path.lastIndex(of: "/") else { return reference }
        return path[...slash] + reference
    }

    /// Returns the path without dot segments (§5.2.4).
    private static func removingDotSegments(_ path: String) -> String {
        var (input, output) = (path[...], "")
        while !input.isEmpty {
            if input.hasPrefix("../") {
                input = input.dropFirst(3)
            } else if input.hasPrefix("./") || input.hasPrefix("/./") {
                input = input.dropFirst(2)
            } else if input == "/." {
                input = "/"
            } else if input.hasPrefix("/../") || input == "/.." {
                input = input == "/.." ? "/" : input.dropFirst(3)
                output = output.lastIndex(of: "/").map { String(output[..<$0]) } ?? ""
            } else if input == "." || input == ".." {
                input = ""
            } else {
                let end = input.dropFirst().firstIndex(of: "/") ?? input.endIndex
                output += input[..<end]
                input = input[end...]
            }
        }
        return output
    }
}
