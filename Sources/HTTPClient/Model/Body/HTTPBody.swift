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
/// - ``file(_:range:contentType:)-(String,_,_)``
/// - ``stream(_:length:contentType:)``
/// - ``stream(length:contentType:_:)``
/// - ``multipart(_:)-(MultipartForm)``
/// ### Properties
/// - ``contentType``
/// - ``length``
/// - ``isReplayable``
public struct HTTPBody: Sendable {
    enum Content: Sendable {
        case none
        case bytes([UInt8])
        /// Content that is produced while it is sent.
        case source(BodySource)
        /// Content that is encoded when it is sent.
        case deferred(DeferredBody)
        /// An error of the caller, which is thrown when the request is sent.
        indirect case invalid(HTTPInvalidRequestReason)
    }

    let content: Content

    /// The media type; nil sends no Content-Type.
    public let contentType: HTTPContentType?

    init(content: Content, contentType: HTTPContentType?) {
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

    /// The number of bytes to send; nil if it is unknown in advance or the body is invalid.
    ///
    /// For a file, each access asks the system for the length.
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
    var isKnownEmpty: Bool {
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
    var isReadyToSend: Bool {
        if case .source(let source) = content { source.isReadyToSend } else { true }
    }

    /// No content: no Content-Type, and no Content-Length unless the method normally has content.
    public static let empty = HTTPBody(content: .none, contentType: nil)

    /// Returns a body of bytes, which are sent unchanged.
    ///
    /// The content type is `application/octet-stream` by default; nil sends no Content-Type.
    public static func bytes(
        _ bytes: [UInt8],
        contentType: HTTPContentType? = .octetStream
    ) -> HTTPBody {
        HTTPBody(content: .bytes(bytes), contentType: contentType)
    }

    /// Returns a body of JSON text that is already encoded.
    public static func json(text: String) -> HTTPBody {
        HTTPBody(content: .bytes(Array(text.utf8)), contentType: .json)
    }

    /// Returns names and values as `application/x-www-form-urlencoded`, in order and with repeats.
    public static func form(_ fields: [(String, String)]) -> HTTPBody {
        form(HTTPParameters(fields.map { ($0.0, $0.1) }))
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
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> HTTPBody {
        do throws(ParameterSerializer.EncodeError) {
            return .bytes(
                try ParameterSerializer.form(parameters, style),
                contentType: "application/x-www-form-urlencoded"
            )
        } catch {
            let fault = HTTPInvalidRequestReason.parameter(name: error.name, error.reason)
            return HTTPBody(content: .invalid(fault), contentType: nil)
        }
    }
}
