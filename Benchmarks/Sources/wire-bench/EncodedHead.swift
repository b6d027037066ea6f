import Wire

/// A response head of eight fields and 448 bytes.
///
/// It is encoded from stored headers, from headers that are refilled for each pass, or directly
/// from names and values.
struct EncodedHead: BenchInput {
    static let labels = ["headers", "refilled", "fields"]

    let label: String
    private let prepared: ResponseHead
    private var scratch = ResponseHead(status: .ok)
    private var output: [UInt8] = []

    var count: Int { 1 }
    let byteCount = 448

    init(_ label: String) {
        self.label = label
        prepared = ResponseHead(
            status: .ok,
            headers: [
                .date: "Wed, 04 Mar 2026 08:15:42 GMT",
                .server: "wire-bench/1.0 (Linux; x86-64)",
                .contentType: "application/json; charset=utf-8", .contentLength: "90417",
                .cacheControl: Self.caching, .etag: "\"65e5a1f0-16131\"",
                .setCookie: Self.cookie, Self.requestID: "0b9f1c7e-54d2-4e0b-9a57-6a3f8d21c4be",
            ]
        )
    }

    mutating func encode() throws -> Int {
        output.removeAll(keepingCapacity: true)
        switch label {
        case "headers":
            try ResponseHeadEncoder.encode(prepared, into: &output)
        case "refilled":
            scratch.headers.removeAll(keepingCapacity: true)
            scratch.headers.append(.date, "Wed, 04 Mar 2026 08:15:42 GMT")
            scratch.headers.append(.server, "wire-bench/1.0 (Linux; x86-64)")
            scratch.headers.append(.contentType, "application/json; charset=utf-8")
            scratch.headers.append(.contentLength, "90417")
            scratch.headers.append(.cacheControl, Self.caching)
            scratch.headers.append(.etag, "\"65e5a1f0-16131\"")
            scratch.headers.append(.setCookie, Self.cookie)
            scratch.headers.append(Self.requestID, "0b9f1c7e-54d2-4e0b-9a57-6a3f8d21c4be")
            try ResponseHeadEncoder.encode(scratch, into: &output)
        default:
            try ResponseHeadEncoder.encode(.ok, into: &output) { fields in
                fields.append(.date, "Wed, 04 Mar 2026 08:15:42 GMT")
                fields.append(.server, "wire-bench/1.0 (Linux; x86-64)")
                fields.append(.contentType, "application/json; charset=utf-8")
                fields.append(.contentLength, 90417)
                fields.append(.cacheControl, Self.caching)
                fields.append(.etag, "\"65e5a1f0-16131\"")
                fields.append(.setCookie, Self.cookie)
                fields.append(Self.requestID, "0b9f1c7e-54d2-4e0b-9a57-6a3f8d21c4be")
            }
        }
        return output.count
    }

    private static let requestID: FieldName = "X-Request-Id"
    private static let caching = "public, max-age=604800, stale-while-revalidate=86400"
    private static let cookie =
        "session=7f3c9a5e2b814d06a1c3e5f708192a3b4c5d6e7f; Path=/; Domain=example.org; "
        + "Max-Age=86400; Secure; HttpOnly; SameSite=Lax"
}
