public import Wire

/// Parsed values of response header fields.
///
/// Each property is nil if the field is missing or its value is malformed. It is also nil if a field
/// that must be unique appears several times with different values: a guess could be wrong. To tell
/// these cases apart, use ``HTTPHeaders/values(_:)``, which returns the text in every case. In a list,
/// malformed elements are skipped.
extension HTTPHeaders {
    /// The media type of the body (RFC 9110 §8.3).
    public var contentType: MediaType? { single(.contentType).flatMap { MediaType($0) } }

    /// The number of bytes that Content-Length announces (RFC 9110 §8.6); at most 2^63 - 1.
    ///
    /// For a body with a content coding, this is the size before decoding. In the response to a HEAD
    /// request, it is the size of a body that is not sent.
    public var contentLength: Int? {
        do {
            return try BodyFraming.contentLength(self)
        } catch {
            return nil
        }
    }

    /// The number of bytes of the body as sent; nil if it is chunked or has no known length.
    package var bodyLength: Int? { contains(.transferEncoding) ? nil : contentLength }

    /// The entity tag, which later requests can use as a condition (RFC 9110 §8.8.3).
    public var entityTag: EntityTag? { single(.etag).flatMap { EntityTag($0) } }

    /// The date of the resource's last change, as far as the server knows (RFC 9110 §8.8.2).
    public var lastModified: HTTPDate? { single(.lastModified).flatMap { HTTPDate($0, now: date) } }

    /// The date of the response by the server's clock (RFC 9110 §6.6.1).
    public var date: HTTPDate? { single(.date).flatMap { HTTPDate($0) } }

    /// The directives for caches (RFC 9111 §5.2).
    ///
    /// A malformed directive makes the value stricter, as ``CacheControl/init(_:)-(String)`` documents.
    public var cacheControl: CacheControl? { combined(.cacheControl).flatMap { CacheControl($0) } }

    /// Whether to show the content or save it, and the suggested file name (RFC 6266).
    ///
    /// Setting nil removes the field.
    public var contentDisposition: ContentDisposition? {
        get { single(.contentDisposition).flatMap { ContentDisposition($0) } }
        set { self[.contentDisposition] = newValue?.description }
    }

    /// The position of these bytes in the complete content (RFC 9110 §14.4).
    public var contentRange: ContentRange? { single(.contentRange).flatMap { ContentRange($0) } }

    /// The time after which the client may retry (RFC 9110 §10.2.3).
    ///
    /// The server chooses this time, so limit it before you wait.
    public var retryAfter: RetryAfter? { single(.retryAfter).flatMap { RetryAfter($0, now: date) } }

    /// The Location as sent, often a relative reference (RFC 9110 §10.2.2).
    ///
    /// Characters that a URI cannot contain are percent-encoded. ``HTTPResponse/location`` is the
    /// resolved URL.
    public var location: URI? { single(.location).flatMap { try? URI(encoding: $0) } }

    /// The links of all Link fields, in order (RFC 8288); empty if there are none.
    ///
    /// The targets are as sent; ``HTTPResponse/link(_:)`` resolves one.
    public var links: [WebLink] { WebLink.list(values(.link)) }

    /// The methods that the resource supports (RFC 9110 §10.2.1); empty if it supports none.
    public var allow: [HTTPMethod]? {
        guard contains(.allow) else { return nil }
        return elements(of: .allow).map { HTTPMethod($0) }.filter(\.isToken)
    }

    /// Returns the value that all fields of a name share; nil if there is none or the values differ.
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
    /// Resolves Location against the URL of the request.
    package func location(from url: URI, _ status: HTTPStatus) -> URI? {
        guard let reference = location else { return nil }
        let target = url.resolve(reference)
        // A redirect without a fragment inherits the fragment of the request's URL (RFC 9110 §10.2.2).
        guard status.kind == .redirection, reference.fragment == nil, let fragment = url.fragment
        else { return target }
        return (try? URI(parsing: "\(target.text)#\(fragment)")) ?? target
    }

    /// Resolves the first link with this relation whose context is the resource itself.
    package func link(_ relation: String, from url: URI) -> URI? {
        let link = links.first { $0.hasRelation(relation) && $0.anchor == nil }
        return link.flatMap { try? URI($0.target) }.map { url.resolve($0) }
    }

    /// Returns a safe name for a file with the content of the URL.
    package func suggestedFileName(for url: URI) -> String? {
        if let name = contentDisposition?.safeFileName { return name }
        let path = url.path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let segment = String(path[path.utf8.index(after: slash)...])
        let name = String(decoding: PercentCoding.decode(segment), as: UTF8.self)
        // The last path segment is as untrusted as a header field.
        return ContentDisposition("attachment", fileName: name)?.safeFileName
    }
}

extension ResponseHead {
    /// The links of a 103 (Early Hints) response (RFC 8297); empty for any other status.
    ///
    /// A server sends them before the final response, so that the client can load resources early. The
    /// targets are as sent. They are hints: the final response need not repeat them.
    public var earlyHints: [WebLink] { status == .earlyHints ? headers.links : [] }
}
