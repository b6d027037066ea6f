internal import Wire

/// Holds one request of a cassette and what was answered.
struct CassetteEntry: Sendable {
    /// Holds what a request is found by, and its fields, without its secrets.
    struct Asked: Sendable {
        var method: String
        var url: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]

        /// Whether the same answer is due; fields play no part.
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
    var status: UInt16
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
        copy.headers = headers.map { ($0.name, secrets.redacted($0.value, of: $0.name)) }
        let type = headers.first { FieldName($0.name) == .contentType }.flatMap {
            MediaType($0.value)
        }
        copy.body =
            type?.isForm == true ? secrets.redacted(form: body) : secrets.redacted(body)
        return copy
    }
}

extension CassetteEntry.Asked {
    /// Takes down a request, without its secrets.
    init(_ request: HTTPStub.Request, _ secrets: CassetteSecrets) {
        method = request.method.rawValue
        url = secrets.redacted(request.url)
        let type = request.headers.contentType
        let form = CassetteForm(type)
        headers = request.headers.map { field in
            let value = secrets.redacted(field.value, of: field.name)
            guard let form, field.isNamed(.contentType) else { return (field.name, value) }
            return (field.name, form.rewritten(value))
        }
        if let form {
            body = form.rewritten(request.body, hidingParts: secrets.areNamed)
        } else if type?.isForm == true {
            body = secrets.redacted(form: request.body)
        } else {
            body = secrets.redacted(request.body)
        }
    }
}

extension MediaType {
    fileprivate var isForm: Bool { type == "application" && subtype == "x-www-form-urlencoded" }
}
