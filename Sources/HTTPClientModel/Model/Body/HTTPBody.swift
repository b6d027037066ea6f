internal import SocketTransport

// To add a kind of body, add it here, and its modifier to `HTTPRequestProtocol+Body`. A body that is produced while it
// is sent is a segment in `BodySource`, which also sends it. `HTTPRequest+Curl` writes it as an option of curl. The test
// is `HTTPBodyTests`.

/// The body of a request and its content type.
///
/// A body is a value like the request: it can be stored, copied and sent many times. Bytes, text, JSON
/// and forms are kept in memory. Files, streams and large multipart forms are read while they are sent,
/// at most a few hundred kilobytes ahead of the network.
///
/// The client sends the content type as Content-Type unless the request has that field. If the length
/// is known, the client sends it as Content-Length; otherwise it sends the body in chunks (RFC 9112
/// §7.1).
///
/// ## Topics
/// ### In memory
/// - ``empty``
/// - ``bytes(_:contentType:)``
/// - ``string(_:contentType:charset:)``
/// - ``json(_:)-(HTTPJSON)``
/// - ``json(text:)``
/// - ``form(_:style:)``
/// ### Streamed while sending
/// - ``file(_:range:contentType:)``
/// - ``stream(_:length:contentType:)``
/// - ``stream(length:contentType:_:)``
/// - ``seekable(length:contentType:_:)``
/// - ``multipart(_:)-(MultipartForm)``
/// ### Trailers
/// - ``trailers(_:_:)``
/// ### Properties
/// - ``contentType``
/// - ``length``
/// - ``isReplayable``
/// - ``isSeekable``
/// - ``suffix(from:)``
/// ### Content
/// - ``bytes``
/// - ``text``
/// - ``json``
/// - ``formItems``
/// - ``filePath``
/// - ``multipartForm``
public struct HTTPBody: Sendable {
    package enum Content: Sendable {
        case none
        case bytes([UInt8])
        /// Content that is produced while it is sent.
        case source(BodySource)
        /// Content that is encoded when it is sent.
        case deferred(DeferredBody)
        /// An error of the caller, which is thrown when the request is sent.
        indirect case invalid(HTTPError.InvalidRequestReason)
    }

    package let content: Content

    /// Whether the content is produced while it is sent, and so cannot be shown before.
    package var isProducedWhileSent: Bool {
        if case .source = content { true } else { false }
    }

    /// The media type; nil sends no Content-Type.
    public let contentType: HTTPContentType?

    package init(content: Content, contentType: HTTPContentType?) {
        self.content = content
        self.contentType = contentType
    }

    /// The bytes of the body if all of them are in memory; otherwise empty.
    ///
    /// A value that is encoded on sending (``json(_:)-(EncodableSendable)``) is encoded here without a
    /// client's `jsonEncoder`. Interceptors and observers see the bytes that their own client encodes.
    public var bytes: [UInt8] {
        switch content {
        case .bytes(let bytes): bytes
        case .deferred: encoded(with: nil).bytes
        default: []
        }
    }

    /// The number of bytes to send; nil if it is not announced or the body is invalid.
    ///
    /// It is not announced for a sequence without a length, and for a body with trailers. For a file, each
    /// access asks the system for the length.
    public var length: Int? {
        switch content {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .source(let source): source.length
        case .deferred: encoded(with: nil).length
        case .invalid: nil
        }
    }

    /// Whether the body is empty or invalid.
    package var isKnownEmpty: Bool {
        switch content {
        case .none, .invalid: true
        case .bytes(let bytes): bytes.isEmpty
        case .source, .deferred: false
        }
    }

    /// Whether the body can be sent more than once.
    ///
    /// False only for a body made from a sequence, and for a form with such a part. To make the body
    /// replayable, pass a closure that creates the sequence.
    public var isReplayable: Bool {
        if case .source(let source) = content { source.isReplayable } else { true }
    }

    /// Whether the body can be sent now: it is replayable, or nothing of it has been sent.
    package var isReadyToSend: Bool {
        if case .source(let source) = content { source.isReadyToSend } else { true }
    }

    /// No content: no Content-Type, and no Content-Length unless the method normally has content.
    public static let empty = HTTPBody(content: .none, contentType: nil)

    /// Returns a body of bytes, such as an array or a `Data`, which are sent unchanged.
    ///
    /// The content type is `application/octet-stream` by default; nil sends no Content-Type.
    public static func bytes(
        _ bytes: some Sequence<UInt8>,
        contentType: HTTPContentType? = .octetStream
    ) -> HTTPBody {
        HTTPBody(content: .bytes(Array(bytes)), contentType: contentType)
    }

    /// Returns a body of JSON text that is already encoded.
    public static func json(text: String) -> HTTPBody {
        HTTPBody(content: .bytes(Array(text.utf8)), contentType: .json)
    }
}

extension HTTPBody {
    /// Returns parameters as `application/x-www-form-urlencoded`, in order and with repeats.
    ///
    ///     request.body = .form(["name": name, "tags": ["a", "b"], "open": true])
    ///
    /// A space becomes `+`. If a value has no text form, sending the request throws
    /// `.invalidRequest(.parameter(…))` with the name of the parameter.
    ///
    /// - Parameters:
    ///   - parameters: names and values; null is an empty value, and an empty array adds nothing.
    ///   - style: the format of arrays, Booleans and dates.
    /// - Returns: a replayable body of known length.
    public static func form(
        _ parameters: HTTPParameters,
        style: HTTPParameters.Style = HTTPParameters.Style()
    ) -> HTTPBody {
        do throws(ParameterSerializer.EncodeError) {
            return .bytes(
                try ParameterSerializer.form(parameters, style),
                contentType: "application/x-www-form-urlencoded"
            )
        } catch {
            let reason = HTTPError.InvalidRequestReason.parameter(name: error.name, error.reason)
            return HTTPBody(content: .invalid(reason), contentType: nil)
        }
    }
}

extension HTTPBody {
    /// Creates a body of text.
    ///
    /// - Parameters:
    ///   - text: the text to send.
    ///   - contentType: default `text/plain`. A charset parameter that it already has is kept.
    ///   - charset: default UTF-8. Sending text that it cannot encode throws
    ///     `.invalidRequest(.unencodableText)` with the first character that it lacks.
    /// - Returns: a body whose content type names the charset. UTF-8 is named only for `text/` types,
    ///   because other types define their own default.
    public static func string(
        _ text: String,
        contentType: HTTPContentType = "text/plain",
        charset: HTTPCharset = .utf8
    ) -> HTTPBody {
        do throws(HTTPCharset.EncodeError) {
            let bytes = try charset.encode(text)
            return HTTPBody(content: .bytes(bytes), contentType: contentType.adding(charset))
        } catch {
            let reason = HTTPError.InvalidRequestReason.unencodableText(
                String(error.scalar),
                charset: charset.name
            )
            return HTTPBody(content: .invalid(reason), contentType: contentType)
        }
    }
}

extension HTTPBody {
    /// Creates a body from a JSON value (RFC 8259), without unnecessary whitespace.
    ///
    /// Sending a value that JSON cannot represent throws `.invalidRequest(.body(reason:))`, and the
    /// reason names the path of the value. Such values are infinity, NaN, two members of the same name,
    /// and more than 512 levels.
    public static func json(_ value: HTTPJSON) -> HTTPBody {
        do throws(JSONEncoding.EncodeError) {
            return HTTPBody(content: .bytes(try JSONEncoding.encode(value)), contentType: .json)
        } catch {
            return HTTPBody(content: .invalid(.body(reason: error.description)), contentType: .json)
        }
    }

    /// Creates a body from a JSON literal with variables; members keep the order written.
    ///
    ///     request.body = .json(["title": title, "author": ["id": user.id, "name": user.name]])
    ///
    /// - Parameter literal: the value. It is optional so that an empty literal is an ``HTTPJSON``; nil is
    ///   sent as `null`.
    /// - Returns: a body of known length that can be sent again.
    public static func json(_ literal: HTTPJSON.Literal?) -> HTTPBody {
        .json(literal?.json ?? .null)
    }
}

/// Content that is encoded when it is sent, with the coders of the client that sends it.
///
/// The encoded bytes are kept: a retry or redirect sends the same ones again.
package final class DeferredBody: Sendable {
    /// The coders of a client; nil for coders without settings.
    package typealias Coders = any AnyObject & Sendable

    /// Encoded content and the coders that encoded it.
    private struct Encoded: Sendable {
        let coders: Coders?
        let content: HTTPBody.Content
    }

    private let encode: @Sendable (Coders?) -> HTTPBody.Content
    private let encoded = Locked<[Encoded]>([])

    package init(_ encode: @escaping @Sendable (Coders?) -> HTTPBody.Content) {
        self.encode = encode
    }

    /// Returns `.bytes`, `.source` if trailers follow, or `.invalid` when the value cannot be encoded.
    package func content(_ coders: Coders?) -> HTTPBody.Content {
        if let known = known(coders) { return known }
        // The lock is not held here, because `encode` runs code of the caller.
        let content = encode(coders)
        return encoded.withLock { encoded in
            if let known = encoded.first(where: { $0.coders === coders }) { return known.content }
            encoded.append(Encoded(coders: coders, content: content))
            return content
        }
    }

    private func known(_ coders: Coders?) -> HTTPBody.Content? {
        encoded.withLock { $0.first { $0.coders === coders }?.content }
    }
}

extension HTTPBody {
    /// Returns the body with its content encoded, if it is not encoded yet.
    package func encoded(with coders: DeferredBody.Coders?) -> HTTPBody {
        guard case .deferred(let body) = content else { return self }
        return HTTPBody(content: body.content(coders), contentType: contentType)
    }
}

extension HTTPRequest {
    /// Encodes the content with the coders of a client, if it is not encoded yet.
    package mutating func encodeBody(with coders: DeferredBody.Coders?) {
        guard case .deferred = body.content else { return }
        body = body.encoded(with: coders)
    }
}
