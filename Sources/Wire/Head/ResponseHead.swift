/// The start line and the fields of a response (RFC 9112 §4).
public struct ResponseHead: Hashable, Sendable {
    /// The version that the head declares; a received HTTP/1.2 or above becomes 1.1 (RFC 9110 §2.5).
    public var version: HTTPVersion
    /// The status.
    public var status: HTTPStatus
    private var fields: HTTPHeaders
    private var reasonRange: PackedRange
    private var reasonSource: ReasonSource

    // The rare parts are behind a pointer, so that the head has four words and is passed in
    // registers.
    private enum ReasonSource: Sendable {
        /// Bytes of the storage of `fields`, at `reasonRange`. A separate reference would cost as much as
        /// reading two fields.
        case received
        /// Bytes of a head whose fields may have changed since, at `reasonRange`.
        indirect case retained(FieldStorage)
        /// The standard phrase of the status whose code is the start of `reasonRange`.
        case standard
        indirect case text(String)
    }

    /// Creates a head; its parts are checked when it is encoded.
    ///
    /// The default for `reason` is the standard phrase of the status.
    public init(
        version: HTTPVersion = .http11,
        status: HTTPStatus,
        reason: String? = nil,
        headers: HTTPHeaders = [:]
    ) {
        self.version = version
        self.status = status
        fields = headers
        reasonRange = PackedRange(start: Int(UInt16(clamping: status.code)), length: 0)
        reasonSource = reason.map { .text($0) } ?? .standard
    }

    /// Creates a head from the result of the scanner.
    @inline(__always)
    init(_ line: HeadScanner.StartLine, storage: FieldStorage) {
        version = line.version
        status = HTTPStatus(Int(line.statusOrMethodNumber))
        fields = HTTPHeaders(storage: storage)
        reasonRange = line.targetOrReason
        reasonSource = .received
    }

    /// The fields.
    public var headers: HTTPHeaders {
        _read { yield fields }
        _modify {
            if case .received = reasonSource, let storage = fields.storage {
                reasonSource = .retained(storage)
            }
            yield &fields
        }
    }

    /// The reason phrase, only for display; each access creates the text (RFC 9112 §4).
    public var reason: String {
        get {
            switch reasonSource {
            case .standard: HTTPStatus(reasonRange.start).reasonPhrase
            case .text(let text): text
            case .received, .retained: received?.text(reasonRange.range) ?? ""
            }
        }
        set {
            reasonSource = .text(newValue)
        }
    }

    /// The bytes of the head as received, including the start line and the empty line.
    ///
    /// Empty for a head created by the program, or whose ``reason`` was set. Changes to the other
    /// properties do not affect it.
    public var rawBytes: [UInt8] {
        guard let received else { return [] }
        var bytes: [UInt8] = []
        received.append(received.received, to: &bytes)
        return bytes
    }

    /// The number of bytes in ``rawBytes``; computed without copying them.
    package var rawByteCount: Int { received?.received.count ?? 0 }

    /// The storage with the received bytes.
    private var received: FieldStorage? {
        switch reasonSource {
        case .standard, .text: nil
        case .received: fields.storage
        case .retained(let storage): storage
        }
    }

    /// Returns the storage for reuse and consumes the head.
    consuming func takeStorage() -> FieldStorage? {
        fields.storage
    }

    /// Compares version, status, reason and fields.
    public static func == (left: ResponseHead, right: ResponseHead) -> Bool {
        left.version == right.version && left.status == right.status
            && left.fields == right.fields && left.reason == right.reason
    }

    /// Hashes status and fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(fields)
    }
}

/// The body of a response that a server writes without ``ServerExchange``, for example a faulty one.
extension ResponseHead {
    /// Whether a field in the head determines the end of the body.
    package var isFramed: Bool {
        headers.contains(.contentLength) || headers.contains(.transferEncoding)
    }

    /// Whether RFC 9110 §8.6 and RFC 9112 §6.1 allow a field with the body's length.
    package var canHaveContentLength: Bool {
        status.kind != .informational && status != .noContent && status != .notModified
    }

    /// Returns whether a response to a request with this method can have a body.
    package func canHaveBody(to method: HTTPMethod) -> Bool {
        canHaveContentLength && method != .head
    }
}
