public import Wire

/// An HTTP request: a value that can be stored, changed and sent many times.
///
///     var request = HTTPRequest("https://api.example.com/users", method: .post)
///     request.headers[.accept] = "application/json"
///     request.body = .json(text: #"{"name": "Ada"}"#)
///
/// Creating a request never fails. If it is invalid, sending it throws
/// ``HTTPError/Kind/invalidRequest(_:)`` before any byte is sent.
public struct HTTPRequest: Sendable {
    /// The URL of the request: parsed, or the parts found in invalid text together with the error.
    enum Target: Sendable {
        case uri(URI)
        indirect case invalid(URLParts, String, WireError)
    }

    /// The method.
    ///
    /// Default GET.
    public var method: HTTPMethod

    /// The header fields, which are added to the client's or replace them.
    ///
    /// Order, case and repeats are kept.
    public var headers: HTTPHeaders

    /// The content of the request.
    ///
    /// Default none.
    public var body: HTTPBody

    /// Whether the request may share a connection with other requests.
    ///
    /// Default ``ConnectionUse/shared``: opening a connection costs more than most requests.
    public var connection = ConnectionUse.shared

    /// The priority of the request while it waits for a connection.
    ///
    /// Default ``HTTPPriority/normal``. Requests of equal priority are served in order of arrival. The
    /// priority has no effect once the request is being sent.
    public var priority = HTTPPriority.normal

    var target: Target

    /// The settings that few requests use; nil if none of them is set.
    private(set) var optionsBox: RequestOptions.Box?

    var options: RequestOptions {
        get { optionsBox?.settings ?? RequestOptions() }
        set { optionsBox = RequestOptions.Box(newValue) }
    }

    /// Creates a request from text: an absolute URL, or a reference relative to the client's base URL.
    ///
    /// Characters that a URL cannot contain are percent-encoded as UTF-8: a space, a letter outside
    /// ASCII or a stray `%`. To parse strictly according to RFC 3986, use
    /// ``init(_:method:headers:body:)`` with a ``URI``.
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

    /// Creates a request from a parsed URI.
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
    /// Parses the text of a URL or a relative reference.
    init(_ text: String) {
        do {
            self = .uri(try URI(encoding: text))
        } catch {
            self = .invalid(URLParts(text), text, error)
        }
    }
}

extension HTTPRequest: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a GET request for the URL.
    ///
    ///     let user = try await client.send("https://api.example.com/users/\(id)")
    ///
    /// The complete text, with interpolated values, is parsed as
    /// ``init(_:method:headers:body:)-(String,_,_,_)`` parses it. A `/`, `?` or `#` in an interpolated
    /// value is therefore a delimiter. For values that may contain these characters, use
    /// ``init(template:variables:method:headers:body:)-(String,_,_,_,_)``, which encodes each value as
    /// one segment.
    public init(stringLiteral url: String) {
        self.init(url)
    }
}
