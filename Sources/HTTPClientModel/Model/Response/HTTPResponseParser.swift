internal import Wire

// To parse responses in another way, add a parser here. The test is `HTTPEndpointTests`.

/// A parser that turns a response into a `Value`: which format to accept, which statuses to expect,
/// and how to read the response.
///
///     let user = HTTPResponseParser.json(User.self).orError(Problem.self)
///     let name = user.map(\.name)
///     let maybe = user.optional(emptyStatuses: [.noContent, .notFound])
///
/// Parsers are values that can be combined. They run in the caller's context, never on the client's
/// event loop.
///
/// ## Topics
/// ### Parsers
/// - ``json(_:expecting:decoder:)``
/// - ``json(_:expecting:)``
/// - ``text``
/// - ``text(expecting:)``
/// - ``bytes``
/// - ``bytes(expecting:)``
/// - ``headers``
/// - ``headers(expecting:)``
/// - ``void(expecting:)``
/// - ``passthrough``
/// - ``passthrough(expecting:)``
/// - ``decodable(_:expecting:)``
/// ### Modifying a parser
/// - ``map(_:)``
/// - ``optional(emptyStatuses:)``
/// - ``orError(_:decoder:)``
/// - ``orError(decodable:)``
/// - ``orError(reading:)``
/// ### Using a parser
/// - ``parse(_:)``
public struct HTTPResponseParser<Value: Sendable>: Sendable {
    /// The Accept field of a request that has none; nil leaves the choice to the client.
    public var accept: String?

    /// The statuses whose responses are parsed; all others throw.
    public var expecting: HTTPStatusSet

    private let read: @Sendable (HTTPResponse) throws -> Value

    /// The readers for the body of a rejected response, in the order in which they are tried.
    private var errorReaders: [@Sendable (HTTPResponse) -> (any Sendable)?] = []

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - accept: the Accept field. Default nil: the format does not matter, or there is no body.
    ///   - expecting: the expected statuses. Default 2xx.
    ///   - read: receives the complete response with one of these statuses. It may use another parser
    ///     for a part of its work.
    public init(
        accept: String? = nil,
        expecting: HTTPStatusSet = .successful,
        _ read: @escaping @Sendable (HTTPResponse) throws -> Value
    ) {
        self.accept = accept
        self.expecting = expecting
        self.read = read
    }

    /// Parses a response.
    ///
    /// - Throws: `.rejectedStatus` for an unexpected status, with the whole response and the error body
    ///   that an ``orError(_:decoder:)`` type decoded. An ``HTTPError`` from reading is thrown unchanged.
    ///   Any other error becomes `.decodingFailed`, with ``HTTPError/underlying`` and the start of the
    ///   body.
    public func parse(_ response: HTTPResponse) throws(HTTPError) -> Value {
        guard expecting.contains(response.status) else {
            let error = response.error(.rejectedStatus(response.status), in: .validating)
            for reader in errorReaders {
                guard let body = reader(response) else { continue }
                throw error.changed { $0.failureBody = body }
            }
            throw error
        }
        do {
            return try read(response)
        } catch {
            throw HTTPError(error, reading: response)
        }
    }

    // MARK: - Modifying a parser

    /// Returns a parser that transforms the value of this one.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) -> HTTPResponseParser<Other> {
        let read = read
        return with(expecting) { response in try transform(try read(response)) }
    }

    /// Returns a parser whose value is nil for statuses without a value to parse.
    ///
    /// - Parameter statuses: the statuses that are expected in addition and give nil. Default 204 and
    ///   205, which have no content (RFC 9110 §15.3.5, §15.3.6).
    /// - Returns: the new parser.
    public func optional(
        emptyStatuses statuses: HTTPStatusSet = [.noContent, .resetContent]
    ) -> HTTPResponseParser<Value?> {
        let read = read
        return with(expecting.union(statuses)) { response in
            statuses.contains(response.status) ? nil : try read(response)
        }
    }

    /// Returns a parser that also reads the body of a rejected response.
    ///
    /// - Parameter reader: receives the complete response. Its result becomes part of the error
    ///   (``HTTPError/failureBody(as:)``). If it returns nil or throws, the next reader is tried.
    /// - Returns: a copy, in which the readers of earlier calls are tried first.
    public func orError(
        reading reader: @escaping @Sendable (HTTPResponse) throws -> (any Sendable)?
    ) -> HTTPResponseParser {
        var copy = self
        // A reader that throws cannot read this body, so the next one is tried.
        copy.errorReaders.append { response in (try? reader(response)) ?? nil }
        return copy
    }

    /// Returns a parser that also decodes the body of a rejected response as one of these types.
    ///
    /// - Parameter types: the types, tried in order; see ``HTTPError/failureBody(as:)``.
    /// - Returns: a copy, in which the readers of earlier calls are tried first.
    public func orError(
        decodable types: any (HTTPDecodableResponse & Sendable).Type...
    ) -> HTTPResponseParser {
        types.reduce(self) { parser, type in parser.orError(reading: { try type.decode($0) }) }
    }

    private func with<Other: Sendable>(
        _ expecting: HTTPStatusSet,
        _ read: @escaping @Sendable (HTTPResponse) throws -> Other
    ) -> HTTPResponseParser<Other> {
        var other = HTTPResponseParser<Other>(accept: accept, expecting: expecting, read)
        other.errorReaders = errorReaders
        return other
    }
}

extension HTTPResponseParser where Value == String {
    /// A parser that returns the body as text, in the charset that Content-Type names.
    ///
    /// It throws `.undecodableText`, as ``HTTPResponse/string(in:)`` does.
    public static var text: HTTPResponseParser<String> {
        .decodable()
    }

    /// Returns a parser like ``text`` that expects these statuses.
    public static func text(expecting statuses: HTTPStatusSet) -> HTTPResponseParser<String> {
        .decodable(expecting: statuses)
    }
}

extension HTTPResponseParser where Value == [UInt8] {
    /// A parser that returns the body after content decoding.
    public static var bytes: HTTPResponseParser<[UInt8]> {
        HTTPResponseParser { $0.body }
    }

    /// Returns a parser like ``bytes`` that expects these statuses.
    public static func bytes(expecting statuses: HTTPStatusSet) -> HTTPResponseParser<[UInt8]> {
        HTTPResponseParser(expecting: statuses) { $0.body }
    }
}

extension HTTPResponseParser where Value == HTTPHeaders {
    /// A parser that returns the header fields alone, for example of a response to HEAD.
    public static var headers: HTTPResponseParser<HTTPHeaders> {
        HTTPResponseParser { $0.headers }
    }

    /// Returns a parser like ``headers`` that expects these statuses.
    public static func headers(
        expecting statuses: HTTPStatusSet
    ) -> HTTPResponseParser<HTTPHeaders> {
        HTTPResponseParser(expecting: statuses) { $0.headers }
    }
}

extension HTTPResponseParser where Value == Void {
    /// Returns a parser that checks the status and ignores the body.
    public static func void(
        expecting statuses: HTTPStatusSet = .successful
    ) -> HTTPResponseParser<Void> {
        HTTPResponseParser(expecting: statuses) { _ in }
    }
}

extension HTTPResponseParser where Value == HTTPResponse {
    /// A parser that returns the response itself, whatever its status.
    public static var passthrough: HTTPResponseParser<HTTPResponse> {
        HTTPResponseParser(expecting: .any) { $0 }
    }

    /// Returns a parser that returns the response itself if it has one of these statuses.
    public static func passthrough(
        expecting statuses: HTTPStatusSet
    ) -> HTTPResponseParser<HTTPResponse> {
        HTTPResponseParser(expecting: statuses) { $0 }
    }
}

extension HTTPResponseParser where Value: HTTPDecodableResponse {
    /// Returns a parser for a type that can be created from a response.
    ///
    /// - Parameters:
    ///   - type: the type, usually inferred.
    ///   - statuses: the expected statuses. Default 2xx.
    /// - Returns: a parser that accepts ``HTTPDecodableResponse/accept``.
    public static func decodable(
        _ type: Value.Type = Value.self,
        expecting statuses: HTTPStatusSet = .successful
    ) -> HTTPResponseParser<Value> {
        HTTPResponseParser(accept: Value.accept, expecting: statuses) { try Value.decode($0) }
    }
}
