/// Holds the start line and the fields of a request (RFC 9112 §3).
public struct RequestHead: Hashable, Sendable {
    /// The version declared; ``HTTPVersion/http11`` unless there is a reason.
    public var version: HTTPVersion
    /// Of a head that was received: the form of the target, and the number of a common method.
    private var form = RequestTarget.Form.origin
    private var methodNumber: UInt8 = 0
    private var fields: HTTPHeaders
    /// Where the target was received.
    private var targetRange = PackedRange.none
    private var requestLine: RequestLine

    // With the parts that are rare behind a pointer the whole is four words, which is what is handed
    // over in registers.
    private enum RequestLine: Sendable {
        indirect case parts(HTTPMethod, RequestTarget)
        /// Bytes of the storage of `fields`: a reference of its own would cost as much as reading
        /// two fields. The method stands before the target.
        case received
    }

    /// Creates a head of those parts, checked when it is written.
    public init(
        method: HTTPMethod,
        target: RequestTarget,
        version: HTTPVersion = .http11,
        headers: HTTPHeaders = [:]
    ) {
        self.version = version
        fields = headers
        requestLine = .parts(method, target)
    }

    /// Takes over a received head.
    @inline(__always)
    init(_ line: HeadScanner.StartLine, storage: FieldStorage) {
        version = line.version
        form = line.form
        methodNumber = UInt8(truncatingIfNeeded: line.statusOrMethodNumber)
        fields = HTTPHeaders(storage: storage)
        targetRange = line.targetOrReason
        requestLine = .received
    }

    /// What is asked for.
    public var method: HTTPMethod {
        get {
            switch requestLine {
            case .parts(let method, _): method
            case .received:
                HTTPMethod(number: methodNumber) ?? HTTPMethod(received(before: targetRange.start))
            }
        }
        set {
            requestLine = .parts(newValue, target)
        }
    }

    /// What it is asked of.
    public var target: RequestTarget {
        get {
            switch requestLine {
            case .parts(_, let target): return target
            case .received:
                guard let storage = fields.storage else { return .asterisk }
                return RequestTarget(form, targetRange.range, of: storage)
            }
        }
        set {
            requestLine = .parts(method, newValue)
        }
    }

    /// Spells the method that was received before the target, which begins there.
    private func received(before target: Int) -> String {
        guard let storage = fields.storage else { return "" }
        let end = target - 1
        let start = storage.received.lowerBound
        let length = storage.withBytes(start..<end) { bytes in
            var index = bytes.count
            while index > 0, ByteClass.isToken(bytes[index - 1]) { index -= 1 }
            return bytes.count - index
        }
        return storage.text(end - length..<end)
    }

    /// The fields, Host included: nothing is added when the head is written.
    public var headers: HTTPHeaders {
        _read { yield fields }
        _modify {
            // From here on the fields may lie elsewhere.
            if case .received = requestLine { requestLine = .parts(method, target) }
            yield &fields
        }
    }

    /// Gives up everything but the storage, to be used again.
    consuming func takeStorage() -> FieldStorage? {
        fields.storage
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
