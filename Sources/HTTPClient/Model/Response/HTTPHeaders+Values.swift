public import Wire

/// What the fields of a response say, read.
///
/// Each is nil when there is no such field, and nil as well when its value is malformed, or when it
/// stands there several times with different values though it may stand there once: a guess would be
/// believed. Whoever must tell these apart looks at the text, which ``HTTPHeaders/values(_:)`` has in
/// any case. Of a list that which is well-formed counts.
extension HTTPHeaders {
    /// The format of the body (RFC 9110 §8.3).
    public var contentType: MediaType? { single(.contentType).flatMap { MediaType($0) } }

    /// How many bytes Content-Length announces (RFC 9110 §8.6); at most 2^63 - 1.
    ///
    /// Of a body with a content coding these are bytes before decoding, and the response to a HEAD
    /// announces what it does not bring.
    public var contentLength: Int? {
        var length: Int?
        for element in elements(of: .contentLength) {
            guard case .value(let value) = Digits.decimal(element), length == nil || length == value
            else { return nil }
            length = value
        }
        return length
    }

    /// The name of the state that was sent, as a condition of later requests (RFC 9110 §8.8.3).
    public var entityTag: EntityTag? { single(.etag).flatMap { EntityTag($0) } }

    /// When the resource was changed last, as far as the server knows (RFC 9110 §8.8.2).
    public var lastModified: HTTPDate? { single(.lastModified).flatMap { HTTPDate($0, now: date) } }

    /// When the response was made, by the server's clock (RFC 9110 §6.6.1).
    public var date: HTTPDate? { single(.date).flatMap { HTTPDate($0) } }

    /// What caches may do with the response (RFC 9111 §5.2).
    ///
    /// A malformed directive makes it stricter, as ``CacheControl/init(_:)-(String)`` says.
    public var cacheControl: CacheControl? { combined(.cacheControl).flatMap { CacheControl($0) } }

    /// Whether the content is to be shown or kept, and under which name (RFC 6266).
    public var contentDisposition: ContentDisposition? {
        single(.contentDisposition).flatMap { ContentDisposition($0) }
    }

    /// Which bytes of the whole these are (RFC 9110 §14.4).
    public var contentRange: ContentRange? { single(.contentRange).flatMap { ContentRange($0) } }

    /// When to ask again (RFC 9110 §10.2.3).
    ///
    /// The number is the server's: bound it before you wait.
    public var retryAfter: RetryAfter? { single(.retryAfter).flatMap { RetryAfter($0, now: date) } }

    /// Where else to look, as it was sent (RFC 9110 §10.2.2): often a relative reference.
    ///
    /// What people write and a URI may not hold is percent-encoded. ``HTTPResponse/location`` is
    /// resolved.
    public var location: URI? { single(.location).flatMap { try? URI(encoding: $0) } }

    /// The links of all lines of Link, in order (RFC 8288); empty when there is none.
    ///
    /// Their targets are as they were sent; ``HTTPResponse/link(_:)`` resolves one.
    public var links: [WebLink] { WebLink.list(values(.link)) }

    /// The methods that the resource knows (RFC 9110 §10.2.1); empty when it knows none.
    public var allow: [HTTPMethod]? {
        guard contains(.allow) else { return nil }
        return elements(of: .allow).map { HTTPMethod($0) }.filter(\.isToken)
    }

    /// The value that every line of that name has; nil when there is none, and when they differ.
    private func single(_ name: FieldName) -> String? {
        let values = values(name)
        guard let first = values.first,
            values.dropFirst().allSatisfy({ $0.utf8.elementsEqual(first.utf8) })
        else { return nil }
        return first
    }

    private func elements(of name: FieldName) -> [String] {
        values(name).flatMap { ListSyntax.elements(of: $0) }
    }
}

extension HTTPHeaders {
    /// Resolves Location against the URL that was asked.
    func location(from url: URI, _ status: HTTPStatus) -> URI? {
        guard let reference = location else { return nil }
        let target = url.resolve(reference)
        // A redirect leads to the same place in the other document (RFC 9110 §10.2.2).
        guard status.kind == .redirection, reference.fragment == nil, let fragment = url.fragment
        else { return target }
        return (try? URI(parsing: "\(target)#\(fragment)")) ?? target
    }

    /// Resolves the first link with that relation which starts at the resource itself.
    func link(_ relation: String, from url: URI) -> URI? {
        let link = links.first { $0.hasRelation(relation) && $0.anchor == nil }
        return link.flatMap { try? URI($0.target) }.map { url.resolve($0) }
    }

    /// Chooses a name for a file with the content of the URL that was asked.
    func suggestedFileName(for url: URI) -> String? {
        if let name = contentDisposition?.safeFileName { return name }
        let path = url.path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let segment = String(path[path.utf8.index(after: slash)...])
        let name = String(decoding: PercentCoding.decode(segment), as: UTF8.self)
        // A name of a URL is as much a stranger's as one of a field.
        return ContentDisposition("attachment", fileName: name)?.safeFileName
    }
}
