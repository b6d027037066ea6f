internal import Wire

/// Holds one request of a cassette and what was answered.
struct CassetteEntry: Sendable {
    /// Holds what a request is found by, and its fields, without its secrets.
    struct RecordedRequest: Sendable {
        var method: String
        var url: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]
        /// Of what was hidden, with the salt of the file; nil when nothing was, or nobody said.
        var digest: String?
        /// What was hidden; never written down, so that it is empty in what was read.
        var hidden = RedactionDigest()

        /// Whether it is the same without its secrets; fields play no part.
        func isSame(as other: RecordedRequest) -> Bool {
            guard method == other.method, url == other.url else { return false }
            if body == other.body { return true }
            // Encoders write members in any order.
            guard let own = try? HTTPJSON(parsing: body),
                let others = try? HTTPJSON(parsing: other.body)
            else { return false }
            return own.isEquivalent(to: others)
        }
    }

    var request: RecordedRequest
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    /// What is played.
    var response: HTTPStub.Response {
        let fields = headers.map { (FieldName($0.name), $0.value) }
        return HTTPStub.Response(HTTPStatus(status), HTTPHeaders(fields), .bytes(body))
    }
}

extension CassetteEntry {
    /// Takes down a response, with its secrets.
    init(_ request: RecordedRequest, _ response: HTTPResponse, isDecoded: Bool) {
        self.request = request
        status = response.status.code
        body = response.body
        var left: [FieldName] = [.transferEncoding, .connection, "Keep-Alive", .trailer]
        // What is announced is what was sent, which was encoded, or what would have been.
        if isDecoded, ContentCoding.applied(in: response.headers) != nil {
            left.append(.contentEncoding)
        }
        if request.method != "HEAD" { left.append(.contentLength) }
        headers = response.headers.filter { field in !left.contains { field.isNamed($0) } }
            .map { ($0.name, $0.value) }
    }

    /// The same without the secrets of the response.
    func redacted(by secrets: CassetteRedactor) -> CassetteEntry {
        var copy = self
        var hidden = RedactionDigest()
        copy.body = secrets.redacted(body, &copy.headers, boundary: nil, &hidden)
        copy.headers = copy.headers.map { ($0.name, secrets.redacted($0.value, of: $0.name)) }
        return copy
    }
}

extension CassetteEntry.RecordedRequest {
    /// Takes down a request, without its secrets.
    init(_ request: HTTPStub.Request, _ secrets: CassetteRedactor) {
        var hidden = RedactionDigest()
        method = request.method.rawValue
        url = secrets.redacted(request.url, &hidden)
        var fields = request.headers.map { (name: $0.name, value: $0.value) }
        body = secrets.redacted(
            request.body,
            &fields,
            boundary: MultipartRedactor.boundary,
            &hidden
        )
        let form = MultipartRedactor(request.headers.contentType)
        headers = fields.map { name, value in
            let value = FieldName(name) == .contentType ? form?.rewritten(value) ?? value : value
            return (name, secrets.redacted(value, of: name))
        }
        self.hidden = hidden
    }
}
