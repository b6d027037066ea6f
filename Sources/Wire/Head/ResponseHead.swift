/// Holds the start line and the fields of a response (RFC 9112 §4).
public struct ResponseHead: Hashable, Sendable {
    /// The version declared; a received HTTP/1.2 or above counts as 1.1 (RFC 9110 §2.5).
    public var version: HTTPVersion
    /// The status.
    public var status: HTTPStatus
    private var fields: HTTPHeaders
    private var reasonRange: PackedRange
    private var reasonSource: ReasonSource

    // With the parts that are rare behind a pointer the whole is four words, which is what is handed
    // over in registers.
    private enum ReasonSource: Sendable {
        /// Bytes of the storage of `fields`, at `reasonRange`: a reference of its own would cost as much
        /// as reading two fields.
        case received
        /// Bytes of a head whose fields may have been changed since, at `reasonRange`.
        indirect case retained(FieldStorage)
        /// The phrase that belongs to the status which `reasonRange` begins at.
        case standard
        indirect case text(String)
    }

    /// Creates a head of those parts, checked when it is written.
    ///
    /// Without a reason, the phrase that belongs to the status stands in.
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

    /// Takes over a received head.
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

    /// The reason phrase, for people alone; text is made on each access (RFC 9112 §4).
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

    /// The head exactly as it was received, start line and empty line included.
    ///
    /// Empty for a head that was built here, or whose ``reason`` was set. Changing the other parts
    /// does not touch it.
    public var rawBytes: [UInt8] {
        guard let received else { return [] }
        var bytes: [UInt8] = []
        received.append(received.received, to: &bytes)
        return bytes
    }

    /// How many bytes ``rawBytes`` has; they are not copied.
    package var rawByteCount: Int { received?.received.count ?? 0 }

    /// The storage with the bytes as they came.
    private var received: FieldStorage? {
        switch reasonSource {
        case .standard, .text: nil
        case .received: fields.storage
        case .retained(let storage): storage
        }
    }

    /// Gives up everything but the storage, to be used again.
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
