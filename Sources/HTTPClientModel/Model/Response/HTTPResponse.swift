public import Wire

/// A complete response: head, decoded body and metrics.
public struct HTTPResponse: Sendable {
    /// The status line and header fields, as received or as changed by an interceptor.
    public var head: ResponseHead

    /// The body after content decoding; empty if there is none or if it ``isStreamed``.
    ///
    /// Setting it replaces a streamed body.
    public var body: [UInt8] {
        didSet { isStreamed = false }
    }

    /// The URL of the request.
    public let url: URI

    /// The head of the request as sent, with the fields that the client has added.
    ///
    /// After a redirect or a challenge it is that of the last request; ``originalRequest`` is that before all redirects.
    /// For a response from a cache or an interceptor, it is the request that would have been sent. The body
    /// is not kept.
    public let request: RequestHead

    /// The method of the request.
    package var method: HTTPMethod { request.method }

    /// The 1xx responses received before this one, in order.
    public var informational: [ResponseHead] { extras?.values.informational ?? [] }

    /// The responses of a proxy to this request: each 407 that the client answered with credentials, and
    /// the 2xx that opened a tunnel.
    ///
    /// Empty if the connection was already open.
    public var proxyHeads: [ResponseHead] { extras?.values.proxyHeads ?? [] }

    /// The trailer fields after a chunked body; usually empty.
    public var trailers: HTTPHeaders { extras?.values.trailers ?? HTTPHeaders() }

    /// The head of the request before all redirects; ``request`` if there were none.
    ///
    /// If its server asked for credentials, it has them.
    public var originalRequest: RequestHead { redirects.first?.request ?? request }

    /// The times of each step and the connection used.
    public package(set) var metrics: HTTPMetrics

    /// The redirects that led to this response, in order; usually none.
    public package(set) var redirects: [HTTPRedirect] {
        get { extras?.values.redirects ?? [] }
        set {
            var changed = extras?.values ?? Extras.Values()
            changed.redirects = newValue
            extras = Extras(changed)
        }
    }

    /// The stages between the received body and the caller, if the body is streamed.
    package var bodyStages: [BodyStageFactory] {
        get { extras?.values.bodyStages ?? [] }
        set {
            var changed = extras?.values ?? Extras.Values()
            changed.bodyStages = newValue
            extras = Extras(changed)
        }
    }

    /// The part that the client's cache had in the response; nil for a client without a cache.
    public package(set) var cacheStatus: CacheStatus? {
        get { metrics.cacheStatus }
        set { metrics.cacheStatus = newValue }
    }

    /// The stored content of a streamed response; nil if it was received now.
    package var storedBody: (any StoredBody)? {
        get { extras?.values.storedBody }
        set {
            var changed = extras?.values ?? Extras.Values()
            changed.storedBody = newValue
            extras = Extras(changed)
        }
    }

    /// The parts that few responses have; nil for none.
    ///
    /// One reference keeps responses cheap to copy. It is not written `Extras?`, which would set it to nil first:
    /// setting it again would make the initializer copy the whole response.
    private var extras: Optional<Extras>

    private final class Extras: Sendable {
        struct Values: Sendable {
            var informational: [ResponseHead] = []
            var proxyHeads: [ResponseHead] = []
            var trailers = HTTPHeaders()
            var redirects: [HTTPRedirect] = []
            var bodyStages: [BodyStageFactory] = []
            var storedBody: (any StoredBody)?

            fileprivate var isEmpty: Bool {
                informational.isEmpty && proxyHeads.isEmpty && trailers.isEmpty
                    && redirects.isEmpty && bodyStages.isEmpty && storedBody == nil
            }
        }

        let values: Values

        init(
            _ informational: [ResponseHead],
            _ proxyHeads: [ResponseHead],
            _ trailers: HTTPHeaders
        ) {
            var values = Values()
            values.informational = informational
            values.proxyHeads = proxyHeads
            values.trailers = trailers
            self.values = values
        }

        init?(_ values: Values) {
            guard !values.isEmpty else { return nil }
            self.values = values
        }
    }

    /// Whether the body is streamed to the caller and therefore not in ``body``.
    public package(set) var isStreamed = false

    /// The number of the attempt that received the response; 0 if the response was created locally.
    package var serial: UInt32 = 0

    /// The client's JSON coders; nil for coders without settings.
    package let coders: (any AnyObject & Sendable)?

    package init(
        head: ResponseHead,
        body: [UInt8],
        url: URI,
        request: RequestHead,
        informational: [ResponseHead] = [],
        proxyHeads: [ResponseHead] = [],
        trailers: HTTPHeaders = HTTPHeaders(),
        metrics: HTTPMetrics = HTTPMetrics(),
        coders: (any AnyObject & Sendable)? = nil
    ) {
        self.head = head
        self.body = body
        self.url = url
        self.request = request
        self.metrics = metrics
        extras =
            informational.isEmpty && proxyHeads.isEmpty && trailers.isEmpty
            ? nil : Extras(informational, proxyHeads, trailers)
        self.coders = coders
    }

    /// The status code; no status is an error by itself.
    public var status: HTTPStatus { head.status }

    /// The header fields; order, case and repeats are as received.
    public var headers: HTTPHeaders { head.headers }

    /// Returns this response if the status is 2xx.
    ///
    /// - Throws: `.rejectedStatus` for any other status; the error has the head and the body.
    public func requireSuccess() throws(HTTPError) -> HTTPResponse {
        guard isSuccess else { throw error(.rejectedStatus(status), in: .validating) }
        return self
    }
}

extension HTTPResponse {
    /// The media type in Content-Type; nil if that is missing or malformed.
    public var contentType: MediaType? { headers.contentType }

    /// The target of Location, resolved against ``url``; nil if Location is missing or malformed.
    ///
    /// In a redirect, the target inherits the fragment of ``url`` unless Location has a fragment
    /// (RFC 9110 §10.2.2).
    public var location: URI? { headers.location(from: url, status) }

    /// Returns the target of a link in this response, such as `link("next")` for the next page.
    ///
    /// - Parameter relation: a relation type (RFC 8288 §2.1), compared without regard to case.
    /// - Returns: the target of the first such link, resolved against ``url``; nil if there is none.
    ///   Links with an anchor describe other resources and are skipped.
    public func link(_ relation: String) -> URI? { headers.link(relation, from: url) }

    /// A file name for this body: the name in Content-Disposition, or the last path segment of ``url``.
    ///
    /// Both come from the server, so the name is made safe as ``ContentDisposition/safeFileName``
    /// documents: it cannot name a file outside the directory that you put it in. Nil if no safe name
    /// remains.
    public var suggestedFileName: String? { headers.suggestedFileName(for: url) }
}

extension HTTPResponse {
    /// The body as text; decoding never fails.
    ///
    /// The charset is the one in Content-Type if ``string(in:)`` supports it, otherwise UTF-8. Invalid bytes
    /// become U+FFFD. A byte order mark at the start is removed. To detect invalid text, use
    /// ``string(in:)``.
    public var text: String {
        let named = contentType?.charset.flatMap { HTTPCharset($0) }
        var errorOffset: Int?
        return (named ?? .utf8).decode(body, errorOffset: &errorOffset)
    }

    /// Returns the body as text, or throws if it is not valid text.
    ///
    /// Supported charsets are UTF-8, US-ASCII, ISO-8859-1, windows-1252 and UTF-16, by their registered
    /// names. UTF-16 without a byte order mark is read as big-endian. UTF-16BE and UTF-16LE are supported
    /// too.
    ///
    /// - Parameter charset: replaces the charset in Content-Type, for servers that send a wrong one.
    ///   Default nil: the charset in Content-Type, or UTF-8 if it has none.
    /// - Returns: the text, without a byte order mark.
    /// - Throws: `.undecodableText`.
    public func string(in charset: String? = nil) throws(HTTPError) -> String {
        let name = charset ?? contentType?.charset ?? "utf-8"
        guard let known = HTTPCharset(name) else {
            throw error(.undecodableText(.unknownCharset(name)))
        }
        var errorOffset: Int?
        let text = known.decode(body, errorOffset: &errorOffset)
        if let errorOffset {
            throw error(.undecodableText(.malformed(charset: name, offset: errorOffset)))
        }
        return text
    }
}

extension HTTPResponse {
    /// Creates a response that no server sent, for an interceptor or a validator to return.
    ///
    /// - Parameters:
    ///   - status: default 200.
    ///   - headers: the complete header fields; default none.
    ///   - body: the decoded content; default none.
    ///   - request: the request that this response answers.
    /// - Throws: `.invalidRequest` if the request has no absolute URL. Requests that an interceptor
    ///   receives always have one.
    public init(
        status: HTTPStatus = .ok,
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        for request: HTTPRequest
    ) throws(HTTPError) {
        let url = try request.absoluteURL(below: nil)
        self.init(
            head: ResponseHead(status: status, headers: headers),
            body: body,
            url: url,
            request: RequestHead(request, url)
        )
    }
}

extension RequestHead {
    /// Creates the head of a request that is not sent.
    package init(_ request: HTTPRequest, _ url: URI) {
        self.init(
            method: request.method,
            target: .origin(url.requestTarget),
            headers: request.headers
        )
    }
}
