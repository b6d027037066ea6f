#if Foundation
public import FoundationEssentials

extension HTTPStub.Response {
    /// A value as JSON.
    ///
    /// The call that gets a value which cannot be encoded fails with `.stubFailed(.answerFailed(…))`. A
    /// literal is an ``HTTPJSON``, or text in quotes JSON text.
    ///
    /// - Parameters:
    ///   - value: encoded at once.
    ///   - status: default 200.
    ///   - encoder: default nil: one that sorts the members by name.
    /// - Returns: the response.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable,
        status: HTTPStatus = .ok,
        encoder: JSONEncoder? = nil
    ) -> Self {
        do {
            let bytes = Array(try JSONCoders.encoder(encoder, nil).encode(value))
            return .bytes(bytes, contentType: "application/json", status: status)
        } catch {
            return .error(.stubFailed(.answerFailed(stub: "JSON", reason: "\(error)")))
        }
    }
}

extension HTTPStub.Matcher {
    /// The content is JSON of the same value as this one's.
    ///
    /// - Parameters:
    ///   - value: encoded at once; with one that cannot be every call fails with
    ///     `.stubFailed(.invalidStub(…))`.
    ///   - encoder: default nil: one without settings.
    /// - Returns: the matcher.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable,
        encoder: JSONEncoder? = nil
    ) -> Self {
        do {
            return .json(
                try HTTPJSON(parsing: Array(try JSONCoders.encoder(encoder, nil).encode(value)))
            )
        } catch {
            return Self("JSON", .invalid(reason: "the value is not JSON: \(error)"))
        }
    }
}
#endif
