/// Says what to ask for: a value that can be kept, changed and sent many times.
///
///     var request = HTTPRequest("https://api.example.com/users", method: .post)
///     request.headers[.accept] = "application/json"
///     request.body = .json(text: #"{"name": "Ada"}"#)
///
/// Making one never fails; what is wrong with it is said when it is sent
/// (``HTTPError/Kind/invalidRequest(_:)``), before anything goes out.
public struct HTTPRequest: Sendable {
    /// Where the request goes: parsed, or what there is of it and the fault found there.
    enum Target: Sendable {
        case uri(URI)
        indirect case invalid(URLParts, String, WireError)
    }

    /// What to do with the resource.
    ///
    /// Default GET.
    public var method: HTTPMethod

    /// Fields to send besides, or instead of, the client's; order, case and repeats are kept.
    public var headers: HTTPHeaders

    /// The content to send.
    ///
    /// Default none.
    public var body: HTTPBody

    /// Whether the request may share a connection with others.
    ///
    /// Default ``ConnectionUse/shared``: opening one costs more than most requests.
    public var connection = ConnectionUse.shared

    /// Who waits less when every connection that could be used is busy.
    ///
    /// Default ``HTTPPriority/normal``. Among equals who came first is served first. It has no
    /// effect on a request that is under way.
    public var priority = HTTPPriority.normal

    var target: Target

    /// What few requests set; nil for the others.
    private(set) var optionsBox: RequestOptions.Box?

    var options: RequestOptions {
        get { optionsBox?.settings ?? RequestOptions() }
        set { optionsBox = RequestOptions.Box(newValue) }
    }

    /// Makes a request from text: an absolute URL, or a reference relative to the client's base URL.
    ///
    /// Text that people write is taken as people mean it: a space, a letter outside ASCII or a
    /// stray `%` is percent-encoded as UTF-8. Use ``init(_:method:headers:body:)`` with a ``URI``
    /// for the strict reading of RFC 3986.
    public init(
        _ url: String,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        target = Target(url)
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// Makes a request from a parsed URI.
    public init(
        _ uri: URI,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        target = .uri(uri)
        self.method = method
        self.headers = headers
        self.body = body
    }
}

extension HTTPRequest.Target {
    /// Reads the text of a URL or a reference.
    init(_ text: String) {
        do {
            self = .uri(try URI(encoding: text))
        } catch {
            self = .invalid(URLParts(text), text, error)
        }
    }
}

extension HTTPRequest: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes a GET of the URL.
    ///
    ///     let user = try await client.send("https://api.example.com/users/\(id)")
    ///
    /// The text is read when it is complete, as ``init(_:method:headers:body:)-(String,_,_,_)`` reads
    /// it: a `/`, `?` or `#` in an interpolated value means what it means in a URL. A value that may
    /// hold such is for ``init(template:variables:method:headers:body:)-(String,_,_,_,_)``, which
    /// encodes each as one segment.
    public init(stringLiteral url: String) {
        self.init(url)
    }
}
