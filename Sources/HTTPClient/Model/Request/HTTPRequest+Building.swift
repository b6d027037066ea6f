public import Wire

extension HTTPRequest {
    /// Makes a request of a method and a URL.
    ///
    ///     let request = HTTPRequest(.put, url, headers: ["If-Match": tag], body: .string(text))
    ///
    /// Text that is not a URL is an error when the request is sent: `.invalidRequest(.url(…))`, with the offset of
    /// the fault. For an error at once, make a ``URI`` of it first.
    ///
    /// - Parameters:
    ///   - method: default GET.
    ///   - url: as in ``init(_:method:headers:body:)-(String,_,_,_)``; by default empty, which is the client's base
    ///     URL itself.
    ///   - headers: default none but the client's.
    ///   - body: default none.
    public init(
        _ method: HTTPMethod = .get,
        _ url: String = "",
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        self.init(url, method: method, headers: headers, body: body)
    }

    /// Makes a request of a method and a parsed URI.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - uri: absolute, or relative to the client's base URL.
    ///   - headers: default none but the client's.
    ///   - body: default none.
    public init(
        _ method: HTTPMethod,
        _ uri: URI,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        self.init(uri, method: method, headers: headers, body: body)
    }

    /// Makes a request of a method and a URL.
    ///
    /// - Parameters:
    ///   - method: what to do with the resource.
    ///   - url: as in ``init(_:method:headers:body:)-(String,_,_,_)``.
    ///   - headers: default none but the client's.
    ///   - body: default none.
    public init(
        method: HTTPMethod,
        _ url: String,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        self.init(url, method: method, headers: headers, body: body)
    }

    /// Makes a request in a closure, which begins with a GET of the client's base URL.
    ///
    ///     let request = HTTPRequest {
    ///         $0.url = "https://api.example.com/login"
    ///         $0.method = .post
    ///         $0.addQueryParameter(name: "full", value: "1")
    ///     }
    ///
    /// - Throws: what the closure throws, and nothing else.
    public init<Failure: Error>(
        _ build: (inout HTTPRequest) throws(Failure) -> Void
    ) throws(Failure) {
        self.init("")
        try build(&self)
    }

    /// Makes a request whose URL is expanded from a template (RFC 6570).
    ///
    ///     HTTPRequest(template: "posts/{id}{?fields*}", variables: ["id": 1])
    ///
    /// A template that does not parse, and a value that it cannot take, are said when the request is
    /// sent: `.invalidRequest(.template(…))`. To parse a template once, and to hear of its faults at
    /// once, make a ``URITemplate``.
    ///
    /// - Parameters:
    ///   - template: the text of the template.
    ///   - variables: values by name; a name without one is left out of the URL.
    ///   - method: default GET.
    ///   - headers: default none but the client's.
    ///   - body: default none.
    public init(
        template: String,
        variables: [String: any HTTPParameterConvertible],
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        do throws(URITemplate.TemplateError) {
            let text = try URITemplate(template).expand(variables)
            self.init(text, method: method, headers: headers, body: body)
        } catch {
            self.init(template, method: method, headers: headers, body: body)
            options.urlError = .template(template, error)
        }
    }

    /// Makes a request whose URL is expanded from a template (RFC 6570).
    ///
    /// - Parameters:
    ///   - method: what to do with the resource.
    ///   - template: the text of the template; its faults are said when the request is sent.
    ///   - variables: values by name; a name without one is left out of the URL.
    public init(
        _ method: HTTPMethod,
        template: String,
        variables: [String: any HTTPParameterConvertible]
    ) {
        self.init(template: template, variables: variables, method: method)
    }

    /// Makes a request whose URL is expanded from a template that is parsed already.
    ///
    /// - Parameters:
    ///   - template: the template.
    ///   - variables: values by name; a name without one is left out of the URL. One that the
    ///     template cannot take is said when the request is sent: `.invalidRequest(.template(…))`.
    ///   - method: default GET.
    ///   - headers: default none but the client's.
    ///   - body: default none.
    public init(
        template: URITemplate,
        variables: [String: any HTTPParameterConvertible],
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPBody = .empty
    ) {
        do throws(URITemplate.TemplateError) {
            let text = try template.expand(variables)
            self.init(text, method: method, headers: headers, body: body)
        } catch {
            self.init(template.text, method: method, headers: headers, body: body)
            options.urlError = .template(template.text, error)
        }
    }
}

extension HTTPRequest {
    /// Says whether a request may share a connection with others.
    public enum ConnectionUse: Sendable, Hashable {
        /// It takes a connection that is free, and leaves it to the next request.
        case shared
        /// A connection is opened for it, says `Connection: close`, and is closed behind the answer
        /// (RFC 9112 §9.6).
        ///
        /// It counts in the limits of the pool: where they are met, an idle connection makes room.
        case fresh
    }
}

/// Says who waits less when every connection that could be used is busy.
///
/// Any number from -128 to 127 will do; larger ones go first.
public struct HTTPPriority: RawRepresentable, Sendable, Hashable, Comparable {
    /// Larger goes first.
    public let rawValue: Int8

    /// Makes a priority of a number.
    public init(rawValue: Int8) {
        self.rawValue = rawValue
    }

    /// What may come last of all, such as cleaning up: -96.
    public static let veryLow = HTTPPriority(rawValue: -96)
    /// Work that nobody waits for, such as fetching ahead: -64.
    public static let low = HTTPPriority(rawValue: -64)
    /// Most requests: 0.
    public static let normal = HTTPPriority(rawValue: 0)
    /// What somebody looks at: 64.
    public static let high = HTTPPriority(rawValue: 64)
    /// What others wait for, such as renewing a token: 96.
    public static let veryHigh = HTTPPriority(rawValue: 96)

    /// Compares the numbers.
    public static func < (left: HTTPPriority, right: HTTPPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
