public import Wire

extension HTTPStub.Matcher {
    // MARK: - Method

    /// The method is one of these.
    public static func method(_ methods: HTTPMethod...) -> Self {
        let words = methods.map(\.rawValue).joined(separator: "/")
        return Self(words) { request in
            methods.contains(request.method)
                ? .matched()
                : .mismatched("the method is \(request.method.rawValue) and not \(words)")
        }
    }

    /// The method is GET.
    public static let get = method(.get)
    /// The method is POST.
    public static let post = method(.post)
    /// The method is PUT.
    public static let put = method(.put)
    /// The method is PATCH.
    public static let patch = method(.patch)
    /// The method is DELETE.
    public static let delete = method(.delete)

    /// A GET of the URL, as ``url(_:query:)``.
    public static func get(_ url: String) -> Self { .all(.get, .url(url)) }
    /// A POST to the URL, as ``url(_:query:)``.
    public static func post(_ url: String) -> Self { .all(.post, .url(url)) }
    /// A PUT of the URL, as ``url(_:query:)``.
    public static func put(_ url: String) -> Self { .all(.put, .url(url)) }
    /// A PATCH of the URL, as ``url(_:query:)``.
    public static func patch(_ url: String) -> Self { .all(.patch, .url(url)) }
    /// A DELETE of the URL, as ``url(_:query:)``.
    public static func delete(_ url: String) -> Self { .all(.delete, .url(url)) }

    // MARK: - Fields

    /// There is a field of that name.
    public static func header(_ name: FieldName) -> Self {
        Self("\(name.rawName)") { request in
            request.headers.contains(name)
                ? .matched() : .mismatched("there is no \(name.rawName)")
        }
    }

    /// There is a field of that name with exactly that value.
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

    /// The content is JSON of the same value: members in any order, numbers by their value.
    public static func json(_ value: HTTPJSON) -> Self {
        Self("JSON \(value)") { request in
            if let reason = request.pendingBody { return .unknown(reason) }
            do throws(HTTPJSONError) {
                return try request.json().isEquivalent(to: value)
                    ? .matched() : .mismatched("the JSON is not \(value)")
            } catch {
                return .mismatched("the body is not JSON: \(error)")
            }
        }
    }

    /// The content is JSON of the same value as this literal, which may hold variables.
    public static func json(_ literal: HTTPJSON.Literal?) -> Self {
        .json(literal?.json ?? .null)
    }

    /// The content is JSON of the same value as this JSON text.
    ///
    /// A value that is text is ``json(_:)-(HTTPJSON)`` of `.string("…")`.
    ///
    /// - Parameter text: with text that is no JSON every call fails with `.stubFailed(.invalidStub(…))`.
    /// - Returns: the matcher.
    public static func json(_ text: String) -> Self {
        do throws(HTTPJSONError) {
            return .json(try HTTPJSON(parsing: text))
        } catch {
            return Self("JSON", .invalid(reason: "\(text.debugDescription) is not JSON: \(error)"))
        }
    }

    /// The content is these bytes.
    public static func body(_ bytes: [UInt8]) -> Self {
        Self("a body of \(bytes.count) bytes") { request in
            if let reason = request.pendingBody { return .unknown(reason) }
            return request.body == bytes
                ? .matched()
                : .mismatched("the body has \(request.body.count) bytes and is another")
        }
    }

    /// The content is this text as UTF-8.
    public static func body(_ text: String) -> Self { body(Array(text.utf8)) }

    // MARK: - Together

    /// Every one matches; without any, each request does.
    public static func all(_ matchers: Self...) -> Self { Self(all: matchers) }

    /// At least one matches; without any, no request does.
    public static func any(_ matchers: Self...) -> Self {
        Self("(\(matchers.map(\.description).joined(separator: " or ")))", .any(matchers))
    }

    /// The other does not match.
    ///
    /// While the content that it needs is not there yet, neither it nor its contrary matches.
    public static func not(_ matcher: Self) -> Self { Self("not (\(matcher))", .not(matcher)) }

    /// A closure says yes.
    ///
    /// - Parameters:
    ///   - description: what it looks for, for errors.
    ///   - condition: must be quick; called by whoever sends the request, at any time.
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
    /// Why nothing can be said of the content; nil when it is here.
    package var pendingBody: String? {
        isBodyPending ? "the body is made while it is sent, so only an answer sees it" : nil
    }
}
