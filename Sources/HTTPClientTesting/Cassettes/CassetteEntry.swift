internal import HTTPClient
internal import Wire

/// One request of a cassette and its response.
struct CassetteEntry: Sendable {
    /// The properties that identify a request, and its header fields, without its secrets.
    struct RecordedRequest: Sendable {
        var method: String
        var url: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]
        /// The salted digest of the hidden values; nil if nothing was hidden or the file has none.
        var digest: String?
        /// The hidden values; never written to the file, so it is empty in an entry that was read.
        var hidden = RedactionDigest()

        /// Returns whether both requests are the same without their secrets; header fields are ignored.
        func isSame(as other: RecordedRequest) -> Bool {
            guard method == other.method, url == other.url else { return false }
            if body == other.body { return true }
            // The order of JSON members can differ between two runs.
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

    /// The response to replay.
    var response: HTTPStub.Response {
        let fields = headers.map { (FieldName($0.name), $0.value) }
        return HTTPStub.Response(HTTPStatus(status), HTTPHeaders(fields), .bytes(body))
    }
}

extension CassetteEntry {
    /// Records a response, including its secrets.
    init(_ request: RecordedRequest, _ response: HTTPResponse, isDecoded: Bool) {
        self.request = request
        status = response.status.code
        body = response.body
        var left: [FieldName] = [.transferEncoding, .connection, "Keep-Alive", .trailer]
        // Content-Length may count the encoded body, so replaying adds the length of the stored body
        // instead. For HEAD it counts a body that was not sent, and is kept.
        // A part (206) is never decoded.
        if isDecoded, response.status != .partialContent,
            ContentCoding.applied(in: response.headers)?.isEmpty == false
        {
            left.append(.contentEncoding)
            left += DigestFields.all
        }
        if request.method != "HEAD" { left.append(.contentLength) }
        headers = response.headers.filter { field in !left.contains { field.isNamed($0) } }
            .map { ($0.name, $0.value) }
    }

    /// Returns a copy without the secrets of the response.
    func redacted(by secrets: CassetteRedactor) -> CassetteEntry {
        var copy = self
        var hidden = RedactionDigest()
        copy.body = secrets.redacted(body, &copy.headers, boundary: nil, &hidden)
        if copy.body.count != body.count,
            headers.contains(where: { FieldName($0.name) == .contentRange })
        {
            // A client compares the length of a part with its range, so the part must keep it.
            let missing = max(body.count - copy.body.count, 0)
            copy.body =
                copy.body.prefix(body.count) + [UInt8](repeating: UInt8(ascii: "*"), count: missing)
        }
        if copy.body != body {
            // A body that was changed does not match the digests of the received bytes (RFC 9530).
            copy.headers.removeAll { DigestFields.all.contains(FieldName($0.name)) }
        }
        copy.headers = copy.headers.map { ($0.name, secrets.redacted($0.value, of: $0.name)) }
        return copy
    }
}

extension CassetteEntry.RecordedRequest {
    /// Records a request, without its secrets.
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
