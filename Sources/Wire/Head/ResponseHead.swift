/// Holds the start line and the fields of a response (RFC 9112 §4).
public struct ResponseHead: Hashable, Sendable {
    /// The version declared; a received HTTP/1.2 or above counts as 1.1 (RFC 9110 §2.5).
    public var version: HTTPVersion
    /// The status.
    public var status: HTTPStatus
    private var fields: HTTPHeaders
    private var extent: Extent
    private var phrase: Phrase

    // With the parts that are rare behind a pointer the whole is four words, which is what is handed
    // over in registers.
    private enum Phrase: Sendable {
        /// Octets of the storage of `fields`, at `extent`: a reference of its own would cost as much
        /// as reading two fields.
        case received
        /// Octets of a head whose fields may have been changed since, at `extent`.
        indirect case kept(FieldStorage)
        /// The phrase that belongs to the status which `extent` begins at.
        case usual
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
        extent = Extent(start: Int(UInt16(clamping: status.code)), length: 0)
        phrase = reason.map { .text($0) } ?? .usual
    }

    /// Takes over a received head.
    @inline(__always)
    init(_ line: HeadScanner.StartLine, storage: FieldStorage) {
        version = line.version
        status = HTTPStatus(Int(line.code))
        fields = HTTPHeaders(storage: storage)
        extent = line.part
        phrase = .received
    }

    /// The fields.
    public var headers: HTTPHeaders {
        _read { yield fields }
        _modify {
            if case .received = phrase, let storage = fields.storage { phrase = .kept(storage) }
            yield &fields
        }
    }

    /// The reason phrase, for people alone; text is made on each access (RFC 9112 §4).
    public var reason: String {
        get {
            switch phrase {
            case .usual: HTTPStatus(extent.start).reasonPhrase
            case .text(let text): text
            case .received, .kept: received?.text(extent.range) ?? ""
            }
        }
        set {
            phrase = .text(newValue)
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

    /// How many octets ``rawBytes`` has; they are not copied.
    package var rawByteCount: Int { received?.received.count ?? 0 }

    /// The storage with the octets as they came.
    private var received: FieldStorage? {
        switch phrase {
        case .usual, .text: nil
        case .received: fields.storage
        case .kept(let storage): storage
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
