/// The start line and the fields of a request (RFC 9112 §3).
public struct RequestHead: Hashable, Sendable {
    /// The version that the head declares; use ``HTTPVersion/http11`` unless there is a reason not to.
    public var version: HTTPVersion
    /// The form of the target, for a received head; `methodNumber` is the number of a common method.
    private var form = RequestTarget.Form.origin
    private var methodNumber: UInt8 = 0
    private var fields: HTTPHeaders
    /// The position of the target in a received head.
    private var targetRange = PackedRange.none
    private var requestLine: RequestLine

    // The rare parts are behind a pointer, so that the head has four words and is passed in
    // registers.
    private enum RequestLine: Sendable {
        indirect case parts(HTTPMethod, RequestTarget)
        /// Bytes of the storage of `fields`, with the method before the target. A separate reference
        /// would cost as much as reading two fields.
        case received
    }

    /// Creates a head; its parts are checked when it is encoded.
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

    /// Creates a head from the result of the scanner.
    @inline(__always)
    init(_ line: HeadScanner.StartLine, storage: FieldStorage) {
        version = line.version
        form = line.form
        methodNumber = UInt8(truncatingIfNeeded: line.statusOrMethodNumber)
        fields = HTTPHeaders(storage: storage)
        targetRange = line.targetOrReason
        requestLine = .received
    }

    /// The method.
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

    /// The request target.
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

    /// Returns the received method, which ends before the target at the given offset.
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

    /// The fields, including Host: the encoder adds nothing.
    public var headers: HTTPHeaders {
        _read { yield fields }
        _modify {
            // After a change, the fields may be in another storage than the request line.
            if case .received = requestLine { requestLine = .parts(method, target) }
            yield &fields
        }
    }

    /// Returns the storage for reuse and consumes the head.
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
