#if Foundation
public import FoundationEssentials
public import HTTPClient

extension HTTPStub.Response {
    /// Returns a response with a value as JSON.
    ///
    /// If the value cannot be encoded, the call that gets the response fails with an
    /// ``HTTPStubError``. A literal is an `HTTPJSON`; a string literal is JSON text.
    ///
    /// - Parameters:
    ///   - value: the value, encoded immediately.
    ///   - status: the status. Default 200.
    ///   - encoder: the encoder. Default nil: one that sorts members by name.
    /// - Returns: the response.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable,
        status: HTTPStatus = .ok,
        encoder: JSONEncoder? = nil
    ) -> Self {
        do {
            let bytes = Array(try (encoder ?? .sortingMembers()).encode(value))
            return .bytes(bytes, contentType: "application/json", status: status)
        } catch {
            let reason = HTTPStubFailureReason.answerFailed(stub: "JSON", reason: "\(error)")
            return Self(.ok, [:], .failure(HTTPStubError(reason, underlying: error)))
        }
    }
}

extension HTTPStub.Matcher {
    /// Returns a matcher of requests whose body is JSON with the same value.
    ///
    /// - Parameters:
    ///   - value: the value, encoded immediately. If it cannot be encoded, every call fails with an
    ///     ``HTTPStubError``.
    ///   - encoder: the encoder. Default nil: one without settings.
    /// - Returns: the matcher.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable,
        encoder: JSONEncoder? = nil
    ) -> Self {
        do {
            return .json(
                try HTTPJSON(parsing: Array(try (encoder ?? JSONEncoder()).encode(value)))
            )
        } catch {
            return Self("JSON", .invalid(reason: "the value is not JSON: \(error)"))
        }
    }
}

extension JSONEncoder {
    /// Returns an encoder whose result is the same in each run of a program.
    fileprivate static func sortingMembers() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
#endif
