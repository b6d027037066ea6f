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
    package enum Target: Sendable {
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

    package var target: Target

    /// The settings that few requests use; nil if none of them is set.
    package private(set) var optionsBox: RequestOptions.Box?

    package var options: RequestOptions {
        get { optionsBox?.settings ?? RequestOptions() }
        set { optionsBox = RequestOptions.Box(newValue) }
    }

    /// Creates a request from a URL: an absolute one, or a reference relative to the client's base URL.
    ///
    /// In a text, characters that a URL cannot contain are percent-encoded as UTF-8: a space, a letter outside
    /// ASCII or a stray `%`. To parse strictly according to RFC 3986, use a ``URI``.
    ///
    /// - Parameters:
    ///   - url: a `String`, a `Substring`, a ``URI`` or a `URL`. A `URL` with its own base is resolved against that.
    ///     If the text is not a URL, or the `URL` is not valid in HTTP, sending the request fails.
    ///   - method: default GET.
    ///   - headers: header fields; default none besides the client's.
    ///   - body: default none.
    @inlinable public init(
        _ url: some HTTPURLConvertible,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody = .empty
    ) {
        // Text is the most frequent URL. In a release build the compiler knows the type, and nothing is cast.
        if let text = url as? String {
            self.init(text, method, headers, body)
            return
        }
        self = url.httpRequest
        self.method = method
        self.headers = headers
        self.body = body
    }

    @usableFromInline init(
        _ text: String,
        _ method: HTTPMethod,
        _ headers: HTTPHeaders,
        _ body: HTTPBody
    ) {
        target = Target(text)
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// Creates a GET request.
    init(_ target: Target) {
        self.target = target
        method = .get
        headers = HTTPHeaders()
        body = .empty
    }
}

extension HTTPRequest.Target {
    /// Parses the text of a URL or a relative reference.
    package init(_ text: String) {
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
    /// ``init(_:method:headers:body:)`` parses it. A `/`, `?` or `#` in an interpolated
    /// value is therefore a delimiter. For values that may contain these characters, use
    /// ``init(template:variables:method:headers:body:)-(String,_,_,_,_)``, which encodes each value as
    /// one segment.
    public init(stringLiteral url: String) {
        self.init(url)
    }
}
