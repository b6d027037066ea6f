/// Holds the content of a request, or says how it is made, and what kind of content it is.
///
/// A value like the request itself: it can be kept, copied and sent many times. Bytes, text, JSON
/// and forms lie in memory; files, streams and large multiparts are read while they are sent, a few
/// hundred kilobytes ahead of the network and no more.
///
/// The content type becomes the Content-Type field unless the request has one. Where the length is
/// known before, it is announced by Content-Length, else the body is sent in chunks (RFC 9112 §7.1).
///
/// ## Topics
/// ### In memory
/// - ``empty``
/// - ``bytes(_:contentType:)``
/// - ``string(_:contentType:charset:)``
/// - ``json(_:)-(HTTPJSON)``
/// - ``json(text:)``
/// - ``form(_:style:)``
/// ### Made while it is sent
/// - ``file(_:range:contentType:)-(String,_,_)``
/// - ``stream(_:length:contentType:)``
/// - ``stream(length:contentType:_:)``
/// - ``multipart(_:)-(MultipartForm)``
/// ### What it knows
/// - ``contentType``
/// - ``length``
/// - ``isReplayable``
public struct HTTPBody: Sendable {
    enum Content: Sendable {
        case none
        case bytes([UInt8])
        /// Made while it is sent.
        case source(BodySource)
        /// Encoded when it is sent.
        case deferred(DeferredBody)
        /// A mistake of the caller, said when the request is sent.
        indirect case invalid(HTTPInvalidRequestReason)
    }

    let content: Content

    /// The media type; nil sends no Content-Type.
    public let contentType: HTTPContentType?

    init(content: Content, contentType: HTTPContentType?) {
        self.content = content
        self.contentType = contentType
    }

    /// The bytes to send where they lie in memory as a whole; otherwise empty.
    ///
    /// A value that is encoded when it is sent (``json(_:)-(EncodableSendable)``) is encoded here as a client without
    /// a `jsonEncoder` does. Interceptors and observers see the bytes of their own client.
    public var bytes: [UInt8] {
        switch content {
        case .bytes(let bytes): bytes
        case .deferred: encoded(with: nil).bytes
        default: []
        }
    }

    /// Bytes to send; nil when nobody knows before they are sent, and for what cannot be sent.
    ///
    /// For files the system is asked on each access.
    public var length: Int? {
        switch content {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .source(let source): source.length
        case .deferred: encoded(with: nil).length
        case .invalid: nil
        }
    }

    /// Whether there is nothing to send, or nothing that could be.
    var isKnownEmpty: Bool {
        switch content {
        case .none, .invalid: true
        case .bytes(let bytes): bytes.isEmpty
        case .source, .deferred: false
        }
    }

    /// Whether the content can be made again, when it has to be sent again.
    ///
    /// False only for a sequence that was given as it is: give a closure that makes one.
    public var isReplayable: Bool {
        if case .source(let source) = content { source.isReplayable } else { true }
    }

    /// No content: no Content-Type, and no Content-Length unless the method expects content.
    public static let empty = HTTPBody(content: .none, contentType: nil)

    /// Bytes as they are.
    ///
    /// The content type is `application/octet-stream` by default; nil sends no Content-Type.
    public static func bytes(
        _ bytes: [UInt8],
        contentType: HTTPContentType? = .octetStream
    ) -> HTTPBody {
        HTTPBody(content: .bytes(bytes), contentType: contentType)
    }

    /// JSON text that is already encoded.
    public static func json(text: String) -> HTTPBody {
        HTTPBody(content: .bytes(Array(text.utf8)), contentType: .json)
    }

    /// Names and values as `application/x-www-form-urlencoded`, in the order given, repeats kept.
    public static func form(_ fields: [(String, String)]) -> HTTPBody {
        form(HTTPParameters(fields.map { ($0.0, $0.1) }))
    }
}

extension HTTPBody {
    /// Parameters as `application/x-www-form-urlencoded`, in their order, repeats kept.
    ///
    ///     request.body = .form(["name": name, "tags": ["a", "b"], "open": true])
    ///
    /// A space becomes `+`. A value that no text stands for makes a request that cannot be sent:
    /// sending it throws `.invalidRequest(.parameter(…))` with its name.
    ///
    /// - Parameters:
    ///   - parameters: names and values; null is an empty value, and an empty array sends nothing.
    ///   - style: how arrays, truth values and dates are spelled.
    /// - Returns: a body of known length that can be sent again.
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
