internal import Wire

/// A type that can be created from a response.
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
/// Use it for values that are more than a `Decodable` in JSON: values that need header fields, use
/// another format, or are parsed by another library.
public protocol HTTPDecodableResponse {
    /// The Accept field of a request that has none.
    ///
    /// Default nil: the format does not matter, or the response has no body.
    static var accept: String? { get }

    /// Creates a value from a response.
    ///
    /// - Parameter response: a complete response whose status is one that the call expects.
    /// - Returns: the value.
    /// - Throws: any error. An ``HTTPError`` reaches the caller unchanged; other errors become
    ///   ``HTTPError/underlying``.
    static func decode(_ response: HTTPResponse) throws -> Self
}

extension HTTPDecodableResponse {
    /// Nil: any format is accepted.
    public static var accept: String? { nil }
}

extension HTTPResponse {
    /// Returns a value that is created from this response.
    ///
    /// - Throws: an ``HTTPError`` from `Value.decode` unchanged. Any other error becomes
    ///   `.decodingFailed` with the original error, its coding path if it is a `DecodingError`, and the
    ///   start of the body.
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

extension String: HTTPDecodableResponse {
    /// The Accept field for text.
    public static var accept: String? { "text/plain, text/*;q=0.9, */*;q=0.1" }

    /// Returns the body as text, as ``HTTPResponse/string(in:)`` does.
    ///
    /// To decode a JSON string instead, use ``HTTPResponseParser/json(_:expecting:decoder:)``.
    public static func decode(_ response: HTTPResponse) throws -> String {
        try response.string()
    }
}

extension Array: HTTPDecodableResponse where Element == UInt8 {
    /// Returns the body after content decoding.
    ///
    /// To decode a JSON array of numbers, use ``HTTPResponseParser/json(_:expecting:decoder:)``.
    public static func decode(_ response: HTTPResponse) throws -> [UInt8] { response.body }
}

extension Optional: HTTPDecodableResponse where Wrapped: HTTPDecodableResponse {
    /// The Accept field of the wrapped type.
    public static var accept: String? { Wrapped.accept }

    /// Returns the value, or nil for 204 and 205, which have no content (RFC 9110 §15.3.5, §15.3.6).
    public static func decode(_ response: HTTPResponse) throws -> Wrapped? {
        response.hasNoContent ? nil : try Wrapped.decode(response)
    }
}

/// An optional of any wrapped type.
protocol NoContentRepresentable {
    /// The value nil.
    static var absent: Self { get }
}

extension Optional: NoContentRepresentable {
    package static var absent: Wrapped? { nil }
}

extension HTTPResponse {
    /// Whether the status forbids content: 204 or 205 (RFC 9110 §15.3.5, §15.3.6).
    var hasNoContent: Bool { status == .noContent || status == .resetContent }

    /// Returns nil as a value of an optional type if the response has no content.
    ///
    /// The result itself is nil if the response has content or the type is not an optional.
    package func noContentValue<Value>(of type: Value.Type) -> Value? {
        guard hasNoContent, let type = type as? any NoContentRepresentable.Type else { return nil }
        return type.absent as? Value
    }
}
