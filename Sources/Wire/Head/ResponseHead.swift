/// Holds the start line and the fields of a response (RFC 9112 §4).
public struct ResponseHead: Hashable, Sendable {
    /// The version declared; a received HTTP/1.2 or above counts as 1.1 (RFC 9110 §2.5).
    public var version: HTTPVersion
    /// The status.
    public var status: HTTPStatus
    /// The fields.
    public var headers: HTTPHeaders
    private var phrase: Phrase

    /// Either text, or octets of the head as it was received.
    private enum Phrase: Sendable {
        case text(String)
        case received(FieldStorage, Range<Int>)
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
        self.headers = headers
        phrase = .text(reason ?? status.reasonPhrase)
    }

    /// Takes over a received head.
    init(version: HTTPVersion, status: HTTPStatus, reason: Range<Int>, storage: FieldStorage) {
        self.version = version
        self.status = status
        headers = HTTPHeaders(storage: storage)
        phrase = .received(storage, reason)
    }

    /// The reason phrase, for people alone; text is made on each access (RFC 9112 §4).
    public var reason: String {
        get {
            switch phrase {
            case .text(let text): text
            case .received(let storage, let range): storage.text(range)
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
        guard case .received(let storage, _) = phrase else { return [] }
        var bytes: [UInt8] = []
        storage.append(0..<storage.receivedCount, to: &bytes)
        return bytes
    }

    /// Compares version, status, reason and fields.
    public static func == (left: ResponseHead, right: ResponseHead) -> Bool {
        left.version == right.version && left.status == right.status
            && left.headers == right.headers && left.reason == right.reason
    }

    /// Hashes status and fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(headers)
    }
}
