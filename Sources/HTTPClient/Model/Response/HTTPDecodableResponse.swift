internal import Wire

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

extension String: HTTPDecodableResponse {
    /// Asks for text.
    public static var accept: String? { "text/plain, text/*;q=0.9, */*;q=0.1" }

    /// Reads the body as text, as ``HTTPResponse/string(in:)`` does.
    ///
    /// JSON that is a string is read with ``HTTPResponseParser/json(_:expecting:decoder:)``.
    public static func decode(_ response: HTTPResponse) throws -> String {
        try response.string()
    }
}

extension Array: HTTPDecodableResponse where Element == UInt8 {
    /// Takes the body as it is, decoded from its content coding.
    ///
    /// JSON that is an array of numbers is read with ``HTTPResponseParser/json(_:expecting:decoder:)``.
    public static func decode(_ response: HTTPResponse) throws -> [UInt8] { response.body }
}

extension Optional: HTTPDecodableResponse where Wrapped: HTTPDecodableResponse {
    /// Asks for the value.
    public static var accept: String? { Wrapped.accept }

    /// Reads the value; nil for 204 and 205, which have no content (RFC 9110 §15.3.5, §15.3.6).
    public static func decode(_ response: HTTPResponse) throws -> Wrapped? {
        response.hasNoContent ? nil : try Wrapped.decode(response)
    }
}

/// Is an optional of whatever type.
protocol NoContentRepresentable {
    /// Nothing.
    static var absent: Self { get }
}

extension Optional: NoContentRepresentable {
    static var absent: Wrapped? { nil }
}

extension HTTPResponse {
    /// Whether its status says that there is no content (RFC 9110 §15.3.5, §15.3.6).
    var hasNoContent: Bool { status == .noContent || status == .resetContent }

    /// What stands for no content in that type; nil when there is content, or the type is no optional.
    func noContentValue<Value>(of type: Value.Type) -> Value? {
        guard hasNoContent, let type = type as? any NoContentRepresentable.Type else { return nil }
        return type.absent as? Value
    }
}
