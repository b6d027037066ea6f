/// Says what to ask for: a value that can be kept, changed, sent many times and compared.
///
///     var request = HTTPRequest("https://api.example.com/users", method: .post)
///     request.headers[.accept] = "application/json"
///     request.body = .json(text: #"{"name": "Ada"}"#)
///
/// Making one never fails; what is wrong with it is said when it is sent
/// (``HTTPError/Kind/invalidRequest(_:)``), before anything goes out.
public struct HTTPRequest: Sendable {
    /// Where the request goes: parsed, or the fault found in the text.
    enum Target: Sendable {
        case uri(URI)
        case invalid(String, WireError)
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

    /// Bounds for this request; nil means the client's.
    public var timeouts: HTTPTimeouts?

    /// How this request's connection is opened; nil means as the client's configuration says.
    ///
    /// It replaces the client's settings whole, its ``AddressPolicy`` too: to change one, begin with a
    /// copy of ``HTTPClient/Settings/connecting``.
    public var connecting: HTTPConnecting?

    /// Whether the request may share a connection with others.
    ///
    /// Default ``ConnectionUse/shared``: opening one costs more than most requests.
    public var connection = ConnectionUse.shared

    /// Who waits less when every connection that could be used is busy.
    ///
    /// Default ``HTTPPriority/normal``. Among equals who came first is served first. It has no
    /// effect on a request that is under way.
    public var priority = HTTPPriority.normal

    /// Which proxy is used for this request; nil means what the client's setting says.
    ///
    /// Requests made as copies of one another share connections through the same proxy, and so do
    /// those whose proxies are equal.
    public var proxy: ProxySetting? {
        get { proxyTable?.setting }
        set { proxyTable = newValue.map { ProxyTable($0) } }
    }

    var proxyTable: ProxyTable?

    /// Whom to trust for this request, and what to show; nil means the client's settings.
    ///
    /// Requests with other settings have connections and TLS sessions of their own. Setting it costs
    /// a hash of the settings: where many requests share them, copy a request that has them.
    public var security: HTTPSecurity? {
        get { settledSecurity?.security }
        set { settledSecurity = newValue.map { SettledSecurity($0) } }
    }

    private(set) var settledSecurity: SettledSecurity?

    var target: Target

    /// Makes a request from text: an absolute URL, or a reference relative to the client's base URL.
    ///
    /// Text that people write is taken as people mean it: a space, a letter outside ASCII or a
    /// stray `%` is percent-encoded as UTF-8. Use ``init(_:method:headers:body:)`` with a ``URI``
    /// for the strict reading of RFC 3986.
    public init(
        _ url: String,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .none
    ) {
        do {
            target = .uri(try URI(percentEncoding: url))
        } catch {
            target = .invalid(url, error)
        }
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// Makes a request from a parsed URI.
    public init(
        _ uri: URI,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .none
    ) {
        target = .uri(uri)
        self.method = method
        self.headers = headers
        self.body = body
    }
}

extension HTTPRequest: ExpressibleByStringLiteral {
    /// Makes a GET of the URL.
    public init(stringLiteral url: String) {
        self.init(url)
    }
}
