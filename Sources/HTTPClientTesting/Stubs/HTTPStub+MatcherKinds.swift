public import HTTPClient
public import Wire

extension HTTPStub.Matcher {
    // MARK: - Method

    /// Matches requests with one of these methods.
    public static func method(_ methods: HTTPMethod...) -> Self {
        let words = methods.map(\.rawValue).joined(separator: "/")
        return Self(words) { request in
            methods.contains(request.method)
                ? .matched()
                : .mismatched(
                    "the method is \(LogText.line(request.method.rawValue)) and not \(words)"
                )
        }
    }

    /// A matcher of GET requests.
    public static let get = method(.get)
    /// A matcher of POST requests.
    public static let post = method(.post)
    /// A matcher of PUT requests.
    public static let put = method(.put)
    /// A matcher of PATCH requests.
    public static let patch = method(.patch)
    /// A matcher of DELETE requests.
    public static let delete = method(.delete)

    /// Matches GET requests for the URL, as ``url(_:query:)``.
    public static func get(_ url: String) -> Self { .all(.get, .url(url)) }
    /// Matches POST requests to the URL, as ``url(_:query:)``.
    public static func post(_ url: String) -> Self { .all(.post, .url(url)) }
    /// Matches PUT requests for the URL, as ``url(_:query:)``.
    public static func put(_ url: String) -> Self { .all(.put, .url(url)) }
    /// Matches PATCH requests for the URL, as ``url(_:query:)``.
    public static func patch(_ url: String) -> Self { .all(.patch, .url(url)) }
    /// Matches DELETE requests for the URL, as ``url(_:query:)``.
    public static func delete(_ url: String) -> Self { .all(.delete, .url(url)) }

    // MARK: - Header fields

    /// Matches requests with a header field of this name.
    public static func header(_ name: FieldName) -> Self {
        Self("\(name.rawName)") { request in
            request.headers.contains(name)
                ? .matched() : .mismatched("there is no \(name.rawName)")
        }
    }

    /// Matches requests with a header field of this name and exactly this value.
    public static func header(_ name: FieldName, _ value: String) -> Self {
        Self("\(name.rawName): \(value)") { request in
            let values = request.headers.values(name)
            guard !values.isEmpty else { return .mismatched("there is no \(name.rawName)") }
            return values.contains(value)
                ? .matched()
                : .mismatched("\(name.rawName) is not \"\(value)\"")
        }
    }

    // MARK: - Content

    /// Matches requests whose content is equal JSON: members in any order, numbers by value.
    public static func json(_ value: HTTPJSON) -> Self {
        Self("JSON \(value)") { request in
            if let reason = request.pendingBody { return .unknown(reason) }
            do throws(HTTPJSON.ParsingError) {
                return try HTTPJSON(reading: request.body).isEquivalent(to: value)
                    ? .matched() : .mismatched("the JSON is not \(value)")
            } catch {
                return .mismatched("the body is not JSON: \(error)")
            }
        }
    }

    /// Matches requests whose content is JSON equal to this literal, which may contain variables.
    public static func json(_ literal: HTTPJSON.Literal?) -> Self {
        .json(literal?.json ?? .null)
    }

    /// Matches requests whose content is JSON equal to this JSON text.
    ///
    /// For a JSON value that is a string, use ``json(_:)-(HTTPJSON)`` with `.string("…")`.
    ///
    /// - Parameter text: JSON text; if it is invalid, every call fails with an
    ///   ``HTTPStubError`` for `.invalidStub`.
    /// - Returns: the matcher.
    public static func json(_ text: String) -> Self {
        do throws(HTTPJSON.ParsingError) {
            return .json(try HTTPJSON(reading: Array(text.utf8)))
        } catch {
            return Self("JSON", .invalid(reason: "\(text.debugDescription) is not JSON: \(error)"))
        }
    }

    /// Matches requests with exactly this content.
    public static func body(_ bytes: [UInt8]) -> Self {
        Self("a body of \(bytes.count) bytes") { request in
            if let reason = request.pendingBody { return .unknown(reason) }
            return request.body == bytes
                ? .matched()
                : .mismatched("the body has \(request.body.count) bytes and is different")
        }
    }

    /// Matches requests whose content is this text in UTF-8.
    public static func body(_ text: String) -> Self { body(Array(text.utf8)) }

    // MARK: - Combining matchers

    /// Matches if every matcher does; without any, all requests match.
    public static func all(_ matchers: Self...) -> Self { Self(all: matchers) }

    /// Matches if at least one matcher does; without any, no request matches.
    public static func any(_ matchers: Self...) -> Self {
        Self("(\(matchers.map(\.description).joined(separator: " or ")))", .any(matchers))
    }

    /// Matches if the other matcher does not.
    ///
    /// While the content that the other matcher needs is not available, neither of them matches.
    public static func not(_ matcher: Self) -> Self { Self("not (\(matcher))", .not(matcher)) }

    /// Matches if a closure returns true.
    ///
    /// - Parameters:
    ///   - description: a description of the requests that match, for errors.
    ///   - condition: a fast closure, called at any time in the task or thread of the caller.
    /// - Returns: the matcher.
    public static func when(
        _ description: String,
        _ condition: @escaping @Sendable (HTTPStub.Request) -> Bool
    ) -> Self {
        Self(description) { request in
            condition(request) ? .matched() : .mismatched("it is not \(description)")
        }
    }
}

extension HTTPStub.Request {
    /// Why the content is not available; nil if it is.
    var pendingBody: String? {
        isBodyPending ? "the body is produced while it is sent, so matchers cannot read it" : nil
    }
}
