public import Wire

extension HTTPRequest {
    /// Creates a request from a method and a URL.
    ///
    ///     let request = HTTPRequest(.put, url, headers: ["If-Match": tag], body: .string(text))
    ///
    /// If a text is not a URL, sending the request fails with `.invalidRequest(.url(…))`, which has the
    /// offset of the error. To detect the error earlier, create a ``URI`` first.
    ///
    /// - Parameters:
    ///   - method: default GET.
    ///   - url: as in ``init(_:method:headers:body:)``. The default is the empty text, which means the
    ///     client's base URL itself.
    ///   - headers: header fields; default none besides the client's.
    ///   - body: default none.
    @inlinable public init<Source: HTTPURLConvertible>(
        _ method: HTTPMethod = .get,
        _ url: Source = "",
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody = .empty
    ) {
        self.init(url, method: method, headers: headers, body: body)
    }

    /// Creates a request from a method and a URL.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: as in ``init(_:method:headers:body:)``.
    ///   - headers: header fields; default none besides the client's.
    ///   - body: default none.
    @inlinable public init(
        method: HTTPMethod,
        _ url: some HTTPURLConvertible,
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody = .empty
    ) {
        self.init(url, method: method, headers: headers, body: body)
    }

    /// Creates a request in a closure, which starts with a GET of the client's base URL.
    ///
    ///     let request = HTTPRequest {
    ///         $0.url = "https://api.example.com/login"
    ///         $0.method = .post
    ///         $0.query.append(HTTPQueryItem("full", "1"))
    ///     }
    ///
    /// - Throws: only what the closure throws.
    public init<Failure: Error>(
        _ build: (inout HTTPRequest) throws(Failure) -> Void
    ) throws(Failure) {
        self.init("")
        try build(&self)
    }

    /// Creates a request whose URL is expanded from a template (RFC 6570).
    ///
    ///     HTTPRequest(template: "posts/{id}{?fields*}", variables: ["id": 1])
    ///
    /// If the template does not parse or cannot use a value, sending the request fails with
    /// `.invalidRequest(.template(…))`. To parse a template only once, or to detect its errors earlier,
    /// create a ``URITemplate``.
    ///
    /// - Parameters:
    ///   - template: the text of the template.
    ///   - variables: values by name; a variable without a value is left out of the URL.
    ///   - method: default GET.
    ///   - headers: header fields; default none besides the client's.
    ///   - body: default none.
    public init(
        template: String,
        variables: [String: any HTTPParameters.Convertible],
        method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody = .empty
    ) {
        do throws(URITemplate.TemplateError) {
            let text = try URITemplate(parsing: template).expanding(variables)
            self.init(text, method: method, headers: headers, body: body)
        } catch {
            self.init(template, method: method, headers: headers, body: body)
            options.urlError = .template(template, error)
        }
    }

    /// Creates a request whose URL is expanded from a template (RFC 6570).
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - template: the text of the template; if it is invalid, sending the request fails.
    ///   - variables: values by name; a variable without a value is left out of the URL.
    public init(
        _ method: HTTPMethod,
        template: String,
        variables: [String: any HTTPParameters.Convertible]
    ) {
        self.init(template: template, variables: variables, method: method)
    }

    /// Creates a request whose URL is expanded from a parsed template.
    ///
    /// - Parameters:
    ///   - template: the template.
    ///   - variables: values by name; a variable without a value is left out of the URL. If the
    ///     template cannot use a value, sending the request fails with `.invalidRequest(.template(…))`.
    ///   - method: default GET.
    ///   - headers: header fields; default none besides the client's.
    ///   - body: default none.
    public init(
        template: URITemplate,
        variables: [String: any HTTPParameters.Convertible],
        method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody = .empty
    ) {
        do throws(URITemplate.TemplateError) {
            let text = try template.expanding(variables)
            self.init(text, method: method, headers: headers, body: body)
        } catch {
            self.init(template.text, method: method, headers: headers, body: body)
            options.urlError = .template(template.text, error)
        }
    }
}

extension HTTPRequest {
    /// The ways in which a request can use connections.
    public enum ConnectionUse: Sendable, Hashable {
        /// The request uses an idle connection if there is one, and later requests can reuse the connection.
        case shared
        /// The client opens a new connection for the request, sends `Connection: close`, and closes the
        /// connection after the response (RFC 9112 §9.6).
        ///
        /// The connection counts toward the limits of the pool. At a limit, the pool closes an idle
        /// connection to make room.
        case fresh
    }
}

/// The priority of a request that waits for a connection.
///
/// Any number from -128 to 127 is valid. The pool serves larger numbers first.
public struct HTTPPriority: RawRepresentable, Sendable, Hashable, Comparable {
    /// The priority as a number; larger numbers are served first.
    public let rawValue: Int8

    /// Creates a priority from a number.
    public init(rawValue: Int8) {
        self.rawValue = rawValue
    }

    /// The priority of work that can wait for everything else, such as cleanup: -96.
    public static let veryLow = HTTPPriority(rawValue: -96)
    /// The priority of background work, such as prefetching: -64.
    public static let low = HTTPPriority(rawValue: -64)
    /// The priority of most requests: 0.
    public static let normal = HTTPPriority(rawValue: 0)
    /// The priority of content that a user is waiting for: 64.
    public static let high = HTTPPriority(rawValue: 64)
    /// The priority of requests that other requests wait for, such as a token refresh: 96.
    public static let veryHigh = HTTPPriority(rawValue: 96)

    /// Compares two priorities by number.
    public static func < (left: HTTPPriority, right: HTTPPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension HTTPRequest {
    /// Whether a description shows secrets.
    public enum Secrets: Sendable, Hashable {
        /// Secrets are replaced with `***`.
        case redacted
        /// Secrets are shown.
        case shown
    }
}
