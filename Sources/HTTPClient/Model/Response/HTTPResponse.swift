public import Wire

/// Holds a complete response: head, decoded body, and what happened on the way.
public struct HTTPResponse: Sendable {
    /// The start line and field section, as received, but for what an interceptor changed.
    public var head: ResponseHead

    /// The content, after content decoding; empty when there is none, or when it ``isStreamed``.
    ///
    /// Setting it takes the place of what would be streamed.
    public var body: [UInt8] {
        didSet { isStreamed = false }
    }

    /// The URL that was asked.
    public let url: URI

    /// With which method.
    let method: HTTPMethod

    /// Responses with a 1xx status that came before this one, in order.
    public let informational: [ResponseHead]

    /// What a proxy answered for this request before: 407s that were answered, and the 2xx that
    /// opened a tunnel; empty on a connection that was open already.
    public let proxyHeads: [ResponseHead]

    /// Fields that came after a chunked body; mostly empty.
    public let trailers: HTTPHeaders

    /// When each step ended, and on which connection.
    public let metrics: HTTPMetrics

    /// The redirects that led here, in order; mostly none.
    public internal(set) var redirects: [HTTPRedirect] = []

    /// Whether the body is not here because it is streamed to whoever asked for it.
    public internal(set) var isStreamed = false

    /// Which exchange of the call it came of; 0 when it was made here.
    var serial: UInt32 = 0

    /// What the client reads JSON with; nil for a decoder without settings.
    let coders: (any AnyObject & Sendable)?

    init(
        head: ResponseHead,
        body: [UInt8],
        url: URI,
        method: HTTPMethod,
        informational: [ResponseHead] = [],
        proxyHeads: [ResponseHead] = [],
        trailers: HTTPHeaders = HTTPHeaders(),
        metrics: HTTPMetrics = HTTPMetrics(),
        coders: (any AnyObject & Sendable)? = nil
    ) {
        self.head = head
        self.body = body
        self.url = url
        self.method = method
        self.informational = informational
        self.proxyHeads = proxyHeads
        self.trailers = trailers
        self.metrics = metrics
        self.coders = coders
    }

    /// The status code; any status is a response, not an error.
    public var status: HTTPStatus { head.status }

    /// The field section; order, case and repeats as received.
    public var headers: HTTPHeaders { head.headers }

    /// Returns itself when the status is 2xx.
    ///
    /// - Throws: `.rejectedStatus` for any other; the error holds head and body.
    public func requireSuccess() throws(HTTPError) -> HTTPResponse {
        guard isSuccess else { throw error(.rejectedStatus(status)) }
        return self
    }
}

extension HTTPResponse {
    /// The format of the body, as Content-Type says; nil when that is missing or malformed.
    public var contentType: MediaType? { headers.contentType }

    /// Where Location leads, resolved against ``url``; nil when it is missing or malformed.
    ///
    /// In a redirect the fragment of ``url`` goes along, unless Location has one (RFC 9110 §10.2.2).
    public var location: URI? { headers.location(from: url, status) }

    /// Finds where a link of this response leads, such as `link("next")` to the next page.
    ///
    /// - Parameter relation: a relation type (RFC 8288 §2.1); its case does not matter.
    /// - Returns: the target of the first such link, resolved against ``url``; nil when there is
    ///   none. Links with an anchor are about other resources, and passed over.
    public func link(_ relation: String) -> URI? { headers.link(relation, from: url) }

    /// A name for a file with this body: that of Content-Disposition, else the last part of the path
    /// of ``url``.
    ///
    /// Either is a stranger's, so it is made safe as ``ContentDisposition/safeFileName`` says: it names
    /// a file in a directory of yours and nothing elsewhere. Nil when nothing is left of it.
    public var suggestedFileName: String? { headers.suggestedFileName(for: url) }
}

extension HTTPStreamedResponse {
    /// The format of the body, as Content-Type says; nil when that is missing or malformed.
    public var contentType: MediaType? { headers.contentType }

    /// Where Location leads, as ``HTTPResponse/location``.
    public var location: URI? { headers.location(from: url, status) }

    /// Finds where a link of this response leads, as ``HTTPResponse/link(_:)``.
    public func link(_ relation: String) -> URI? { headers.link(relation, from: url) }

    /// A name for a file with this body, as ``HTTPResponse/suggestedFileName``.
    public var suggestedFileName: String? { headers.suggestedFileName(for: url) }
}

extension HTTPResponse {
    /// The body as text, whatever it holds.
    ///
    /// It is read in the charset that Content-Type names, where that is one of those of
    /// ``string(in:)``; else as UTF-8. Bytes that are no text become U+FFFD. A byte order mark at
    /// the start is left out. Use ``string(in:)`` to be told instead.
    public var text: String {
        let named = contentType?.charset.flatMap { TextCharset($0) }
        var errorOffset: Int?
        return (named ?? .utf8).decode(body, errorOffset: &errorOffset)
    }

    /// Reads the body as text, and says so when it is none.
    ///
    /// Known are UTF-8, US-ASCII, ISO-8859-1, windows-1252 and UTF-16 (with a byte order mark or
    /// without, then big-endian; also as UTF-16BE and UTF-16LE), by their registered names.
    ///
    /// - Parameter charset: used in place of the one in Content-Type, for servers that name a wrong
    ///   one. Default nil: that of Content-Type, and UTF-8 when it names none.
    /// - Returns: the text, without a byte order mark.
    /// - Throws: `.undecodableText`.
    public func string(in charset: String? = nil) throws(HTTPError) -> String {
        let name = charset ?? contentType?.charset ?? "utf-8"
        guard let known = TextCharset(name) else {
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
    /// Makes a response that no server sent, for an interceptor or a validator to return.
    ///
    /// - Parameters:
    ///   - status: default 200.
    ///   - headers: default none; none is added.
    ///   - body: the decoded content; default none.
    ///   - request: what it answers.
    /// - Throws: `.invalidRequest` when the request has no absolute URL; one that an interceptor gets
    ///   has.
    public init(
        status: HTTPStatus = .ok,
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        for request: HTTPRequest
    ) throws(HTTPError) {
        self.init(
            head: ResponseHead(status: status, headers: headers),
            body: body,
            url: try RequestPlanner.url(of: request, nil),
            method: request.method
        )
    }
}
