/// Makes itself out of a response, in whatever way it wants.
///
///     struct Quota: HTTPDecodableResponse {
///         let left: Int
///
///         static func decode(_ response: HTTPResponse) throws -> Quota {
///             guard let text = response.headers["X-Quota-Left"], let left = Int(text) else {
///                 throw MissingQuota()
///             }
///             return Quota(left: left)
///         }
///     }
///
/// For values that are not simply a `Decodable` in JSON: with facts from header fields, in other
/// formats, or read by another library.
public protocol HTTPDecodableResponse {
    /// What to say in the Accept field of a request that has none.
    ///
    /// Default nil: the format does not matter, or there is none.
    static var accept: String? { get }

    /// Makes a value.
    ///
    /// - Parameter response: complete; its status is one that was asked for.
    /// - Returns: the value.
    /// - Throws: anything. An ``HTTPError`` reaches the caller as it is, other errors as
    ///   ``HTTPError/underlying``.
    static func decode(_ response: HTTPResponse) throws -> Self
}

extension HTTPDecodableResponse {
    /// Nil: the client accepts anything.
    public static var accept: String? { nil }
}

extension HTTPResponse {
    /// Makes a value that knows how to read responses.
    ///
    /// - Throws: `.decodingFailed` with what `Value.decode` threw, the path in it if it is a
    ///   `DecodingError`, and the start of the body; an ``HTTPError`` as it is.
    public func decode<Value: HTTPDecodableResponse>(
        _ type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        do {
            return try Value.decode(self)
        } catch {
            throw HTTPError(error, reading: self)
        }
    }

    /// Whether the status is 2xx.
    public var isSuccess: Bool { status.kind == .successful }
}
