/// Holds the start line and the fields of a request (RFC 9112 §3).
public struct RequestHead: Hashable, Sendable {
    /// What is asked for.
    public var method: HTTPMethod
    /// The version declared; ``HTTPVersion/http11`` unless there is a reason.
    public var version: HTTPVersion
    private var fields: HTTPHeaders
    private var asked: Asked

    private enum Asked: Sendable {
        case target(RequestTarget)
        /// Octets of the storage of `fields`: a reference of its own would cost as much as reading
        /// two fields.
        case received(RequestTarget.Form, start: UInt32, length: UInt32)
    }

    /// Creates a head of those parts, checked when it is written.
    public init(
        method: HTTPMethod,
        target: RequestTarget,
        version: HTTPVersion = .http11,
        headers: HTTPHeaders = [:]
    ) {
        self.method = method
        asked = .target(target)
        self.version = version
        fields = headers
    }

    /// Takes over a received head.
    init(_ line: HeadScanner.StartLine, storage: FieldStorage) {
        method = HTTPMethod(number: line.code) ?? HTTPMethod(storage.text(line.method))
        version = line.version
        asked = .received(line.form, start: line.partStart, length: line.partLength)
        fields = HTTPHeaders(storage: storage)
    }

    /// What it is asked of.
    public var target: RequestTarget {
        get {
            switch asked {
            case .target(let target): return target
            case .received(let form, let start, let length):
                guard let storage = fields.storage else { return .asterisk }
                return RequestTarget(form, Int(start)..<Int(start) + Int(length), of: storage)
            }
        }
        set {
            asked = .target(newValue)
        }
    }

    /// The fields, Host included: nothing is added when the head is written.
    public var headers: HTTPHeaders {
        _read { yield fields }
        _modify {
            // From here on the fields may lie elsewhere.
            if case .received = asked { asked = .target(target) }
            yield &fields
        }
    }

    /// Gives up everything but the storage, to be used again.
    consuming func takeStorage() -> FieldStorage? {
        asked = .target(.asterisk)
        return fields.storage
    }

    /// Compares method, target, version and fields.
    public static func == (left: RequestHead, right: RequestHead) -> Bool {
        left.method == right.method && left.version == right.version
            && left.target == right.target && left.fields == right.fields
    }

    /// Hashes method, target and fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(target)
        hasher.combine(fields)
    }
}
