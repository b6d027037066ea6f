internal import Wire

/// Says how a response becomes a `Value`: what to ask for, which statuses are good, how to read it.
///
///     let user = HTTPResponseParser.json(User.self).orError(Problem.self)
///     let name = user.map(\.name)
///     let maybe = user.optional(emptyStatuses: [.noContent, .notFound])
///
/// Parsers are values and are put together out of one another. They run where the caller is, never
/// on the client's loop.
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
/// ### Changing one
/// - ``map(_:)``
/// - ``optional(emptyStatuses:)``
/// - ``orError(_:decoder:)``
/// - ``orError(decodable:)``
/// - ``orError(reading:)``
/// ### Using one
/// - ``parse(_:)``
public struct HTTPResponseParser<Value: Sendable>: Sendable {
    /// The Accept field to send when the request has none; nil leaves it to the client.
    public var accept: String?

    /// The statuses with which a response is read; all others throw.
    public var expecting: HTTPStatusSet

    private let read: @Sendable (HTTPResponse) throws -> Value

    /// What reads the body of a refused response, in the order of trying.
    private var errorReaders: [@Sendable (HTTPResponse) -> (any Sendable)?] = []

    /// Makes a parser.
    ///
    /// - Parameters:
    ///   - accept: default nil: the format does not matter, or there is none.
    ///   - expecting: default 2xx.
    ///   - read: gets the complete response, with one of those statuses. It may ask another parser
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

    /// Makes the value of a response.
    ///
    /// - Throws: `.rejectedStatus` for a status that was not expected, with the whole response and
    ///   what the ``orError(_:decoder:)`` types made of it; `.decodingFailed`, with what reading threw as
    ///   ``HTTPError/underlying`` and the start of the body in its reason; an ``HTTPError`` that reading threw.
    public func parse(_ response: HTTPResponse) throws(HTTPError) -> Value {
        guard expecting.contains(response.status) else {
            let error = response.error(.rejectedStatus(response.status))
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

    // MARK: - Changing one

    /// Returns a parser that makes something of this one's value.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) -> HTTPResponseParser<Other> {
        let read = read
        return with(expecting) { response in try transform(try read(response)) }
    }

    /// Returns a parser that gives nil for statuses that have nothing to read.
    ///
    /// - Parameter statuses: are good besides those expected. Default 204 and 205, which have no
    ///   content (RFC 9110 §15.3.5, §15.3.6).
    /// - Returns: a copy.
    public func optional(
        emptyStatuses statuses: HTTPStatusSet = [.noContent, .resetContent]
    ) -> HTTPResponseParser<Value?> {
        let read = read
        return with(expecting.union(statuses)) { response in
            statuses.contains(response.status) ? nil : try read(response)
        }
    }

    /// Returns a parser that reads the body of a refused response too.
    ///
    /// - Parameter reader: gets the complete response. What it returns is in the error
    ///   (``HTTPError/failureBody(as:)``); nil, or an error, leaves it to the next one.
    /// - Returns: a copy; it asks the readers of earlier calls first.
    public func orError(
        reading reader: @escaping @Sendable (HTTPResponse) throws -> (any Sendable)?
    ) -> HTTPResponseParser {
        var copy = self
        // What cannot read it is no fault: the next one is asked.
        copy.errorReaders.append { response in (try? reader(response)) ?? nil }
        return copy
    }

    /// Returns a parser that reads the body of a refused response as one of these types too.
    ///
    /// - Parameter types: tried in order; see ``HTTPError/failureBody(as:)``.
    /// - Returns: a copy; it asks the readers of earlier calls first.
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
    /// The body as text, in the charset that Content-Type names.
    ///
    /// Throws `.undecodableText`, as ``HTTPResponse/string(in:)``.
    public static var text: HTTPResponseParser<String> {
        .decodable()
    }

    /// The body as text, as ``text`` reads it, of a response with one of these statuses.
    public static func text(expecting statuses: HTTPStatusSet) -> HTTPResponseParser<String> {
        .decodable(expecting: statuses)
    }
}

extension HTTPResponseParser where Value == [UInt8] {
    /// The body as it is, decoded from its content coding.
    public static var bytes: HTTPResponseParser<[UInt8]> {
        HTTPResponseParser { $0.body }
    }

    /// The body as it is, as ``bytes``, of a response with one of these statuses.
    public static func bytes(expecting statuses: HTTPStatusSet) -> HTTPResponseParser<[UInt8]> {
        HTTPResponseParser(expecting: statuses) { $0.body }
    }
}

extension HTTPResponseParser where Value == HTTPHeaders {
    /// The field section alone, as for HEAD.
    public static var headers: HTTPResponseParser<HTTPHeaders> {
        HTTPResponseParser { $0.headers }
    }

    /// The field section alone, of a response with one of these statuses.
    public static func headers(
        expecting statuses: HTTPStatusSet
    ) -> HTTPResponseParser<HTTPHeaders> {
        HTTPResponseParser(expecting: statuses) { $0.headers }
    }
}

extension HTTPResponseParser where Value == Void {
    /// Nothing: the status is all that matters.
    public static func void(
        expecting statuses: HTTPStatusSet = .successful
    ) -> HTTPResponseParser<Void> {
        HTTPResponseParser(expecting: statuses) { _ in }
    }
}

extension HTTPResponseParser where Value == HTTPResponse {
    /// The response itself, whatever its status.
    public static var passthrough: HTTPResponseParser<HTTPResponse> {
        HTTPResponseParser(expecting: .any) { $0 }
    }

    /// The response itself, when it has one of these statuses.
    public static func passthrough(
        expecting statuses: HTTPStatusSet
    ) -> HTTPResponseParser<HTTPResponse> {
        HTTPResponseParser(expecting: statuses) { $0 }
    }
}

extension HTTPResponseParser where Value: HTTPDecodableResponse {
    /// A value that knows how to read responses.
    ///
    /// - Parameters:
    ///   - type: the type; mostly found by itself.
    ///   - statuses: with which `type` is asked. Default 2xx.
    /// - Returns: a parser that asks for ``HTTPDecodableResponse/accept``.
    public static func decodable(
        _ type: Value.Type = Value.self,
        expecting statuses: HTTPStatusSet = .successful
    ) -> HTTPResponseParser<Value> {
        HTTPResponseParser(accept: Value.accept, expecting: statuses) { try Value.decode($0) }
    }
}
