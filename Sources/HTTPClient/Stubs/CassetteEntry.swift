internal import Wire

/// Holds one request of a cassette and what was answered.
struct CassetteEntry: Sendable {
    /// Holds what a request is found by, and its fields, without its secrets.
    struct Asked: Sendable {
        var method: String
        var url: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]
        /// Of what was hidden, with the salt of the file; nil when nothing was, or nobody said.
        var digest: String?
        /// What was hidden; never written down, so that it is empty in what was read.
        var hidden = HiddenValues()

        /// Whether it is the same without its secrets; fields play no part.
        func isSame(as other: Asked) -> Bool {
            guard method == other.method, url == other.url else { return false }
            if body == other.body { return true }
            // Encoders write members in any order.
            guard let own = try? HTTPJSON(parsing: body),
                let others = try? HTTPJSON(parsing: other.body)
            else { return false }
            return own.isEquivalent(to: others)
        }
    }

    var asked: Asked
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
    init(_ asked: Asked, _ response: HTTPResponse, isDecoded: Bool) {
        self.asked = asked
        status = response.status.code
        body = response.body
        var left: [FieldName] = [.transferEncoding, .connection, "Keep-Alive", .trailer]
        // What is announced is what was sent, which was encoded, or what would have been.
        if isDecoded, ContentCoding.applied(in: response.headers) != nil {
            left.append(.contentEncoding)
        }
        if asked.method != "HEAD" { left.append(.contentLength) }
        headers = response.headers.filter { field in !left.contains { field.isNamed($0) } }
            .map { ($0.name, $0.value) }
    }

    /// The same without the secrets of the response.
    func redacted(by secrets: CassetteSecrets) -> CassetteEntry {
        var copy = self
        var hidden = HiddenValues()
        copy.body = secrets.redacted(body, &copy.headers, boundary: nil, &hidden)
        copy.headers = copy.headers.map { ($0.name, secrets.redacted($0.value, of: $0.name)) }
        return copy
    }
}

extension CassetteEntry.Asked {
    /// Takes down a request, without its secrets.
    init(_ request: HTTPStub.Request, _ secrets: CassetteSecrets) {
        var hidden = HiddenValues()
        method = request.method.rawValue
        url = secrets.redacted(request.url, &hidden)
        var fields = request.headers.map { (name: $0.name, value: $0.value) }
        body = secrets.redacted(
            request.body,
            &fields,
            boundary: CassetteForm.boundary,
            &hidden
        )
        let form = CassetteForm(request.headers.contentType)
        headers = fields.map { name, value in
            let value = FieldName(name) == .contentType ? form?.rewritten(value) ?? value : value
            return (name, secrets.redacted(value, of: name))
        }
        self.hidden = hidden
    }
}
