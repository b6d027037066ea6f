internal import SocketTransport
public import Wire

extension HTTPBody {
    /// Returns the body with a trailer section, whose values a closure computes after the content.
    ///
    ///     let hash = RunningHash()
    ///     request.body = .stream { hash.hashing(pieces()) }
    ///         .trailers(["Content-Digest"]) { ["Content-Digest": hash.value] }
    ///
    /// Only chunks can have trailers (RFC 9112 §7.1.2). The client therefore sends the content in chunks,
    /// even if its length is known, and ``length`` is nil. A stream with an announced length must still
    /// have that length.
    ///
    /// The client announces the names in the field Trailer (RFC 9110 §6.6.2), unless the request already
    /// has that field. A trailer must not concern framing, routing, authentication, conditions or the
    /// format of the content (RFC 9110 §6.5.1). For such a name, or for one that is not a token, sending
    /// the request throws `.invalidRequest(.trailerField(…))`, and nothing is sent.
    ///
    /// Many servers ignore trailers: make sure that yours reads them.
    /// ``HTTPRequest/curlDescription(in:secrets:redacting:)`` omits them, because curl cannot send them.
    ///
    /// - Parameters:
    ///   - names: the names of the fields that `values` may return.
    ///   - values: returns the fields, in the order to send them. The client calls it when the content has
    ///     been produced, each time that the body is sent, in the task that reads the content. It may omit
    ///     announced fields. The call fails with `.bodyFailed(.unannouncedTrailer(…))` for a field that
    ///     is not in `names`, and with `.bodyFailed(.invalidTrailer(…))` for a value that a field cannot
    ///     contain. An error that the closure throws becomes ``HTTPError/underlying`` of
    ///     `.bodyFailed(.thrown(…))`. In these cases the client closes the connection, so that the server
    ///     detects an incomplete request.
    /// - Returns: a body with the same content. Trailers that it already had are replaced.
    public func trailers(
        _ names: [FieldName],
        _ values: @escaping @concurrent @Sendable () async throws -> HTTPHeaders
    ) -> HTTPBody {
        let trailers = BodyTrailers(names: names, values: values)
        return HTTPBody(
            content: Self.content(content, followedBy: trailers),
            contentType: contentType
        )
    }

    /// Returns content that is sent in chunks, with trailers after it.
    package static func content(_ content: Content, followedBy trailers: BodyTrailers) -> Content {
        switch content {
        case .none: .source(BodySource([], trailers: trailers))
        case .bytes(let bytes): .source(BodySource([.bytes(bytes)], trailers: trailers))
        case .source(let source):
            .source(BodySource(source.segments, trailers: trailers, form: source.form))
        case .deferred(let body):
            .deferred(
                DeferredBody { coders in
                    Self.content(body.content(coders), followedBy: trailers)
                }
            )
        case .invalid: content
        }
    }
}

/// The trailer section of a body: the announced names, and a closure for the fields.
package struct BodyTrailers: Sendable {
    package let names: [FieldName]
    package let values: @concurrent @Sendable () async throws -> HTTPHeaders

    /// The value of the field Trailer; nil if no name is announced.
    package var announcement: String? {
        names.isEmpty ? nil : names.map(\.rawName).joined(separator: ", ")
    }

    /// Throws `.trailerField` if a name must not be sent in a trailer section.
    package func check() throws(InvalidBodyError) {
        for name in names where !name.isToken || TrailerRules.forbidden.contains(name) {
            throw InvalidBodyError(.trailerField(name.rawName))
        }
    }

    /// Computes the fields.
    ///
    /// - Throws: a ``BodyError``.
    package func fields() async throws -> HTTPHeaders {
        let fields: HTTPHeaders
        do {
            fields = try await values()
        } catch {
            throw BodyError(.thrown(description: "\(error)"), underlying: error)
        }
        for field in fields where !names.contains(FieldName(field.name)) {
            throw BodyError(.unannouncedTrailer(field.name))
        }
        return fields
    }
}
