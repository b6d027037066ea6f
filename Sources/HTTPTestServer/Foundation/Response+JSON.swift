#if Foundation
public import FoundationEssentials
public import Wire

extension HTTPTestServer.Response {
    /// Returns a response with a value as JSON.
    ///
    ///     server.route(.get, "/users/1", .json(["name": "Ada"]))
    ///
    /// A string is JSON text (``json(_:status:)``). If the value cannot be encoded, the response has the status 500 and
    /// the reason as text.
    ///
    /// - Parameters:
    ///   - value: the value, encoded immediately.
    ///   - status: the status. Default 200.
    ///   - encoder: the encoder. Default nil: one that sorts members by name, so that each run of a test gets the
    ///     same bytes.
    /// - Returns: the response.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable,
        status: HTTPStatus = .ok,
        encoder: JSONEncoder? = nil
    ) -> HTTPTestServer.Response {
        do {
            let bytes = Array(try (encoder ?? .sortingMembers()).encode(value))
            return .bytes(bytes, contentType: "application/json", status: status)
        } catch {
            return .text("the value is not JSON: \(error)", status: .internalServerError)
        }
    }
}

extension JSONEncoder {
    fileprivate static func sortingMembers() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
#endif
