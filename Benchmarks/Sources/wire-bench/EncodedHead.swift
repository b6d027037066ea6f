import Wire

/// A response head of eight fields, 448 octets: written from headers that are kept, from headers
/// that are filled anew, and straight from names and values.
struct EncodedHead: BenchInput {
    static let labels = ["headers", "refilled", "fields"]

    let label: String
    private let fields: [(FieldName, String)]
    private let kept: ResponseHead
    private var scratch = ResponseHead(status: .ok)
    private var output: [UInt8] = []

    var count: Int { 1 }
    let byteCount = 448

    init(_ label: String) {
        self.label = label
        fields = [
            (.date, "Wed, 04 Mar 2026 08:15:42 GMT"), (.server, "wire-bench/1.0 (Linux; x86-64)"),
            (.contentType, "application/json; charset=utf-8"), (.contentLength, "90417"),
            (.cacheControl, "public, max-age=604800, stale-while-revalidate=86400"),
            (.etag, "\"65e5a1f0-16131\""),
            (
                .setCookie,
                "session=7f3c9a5e2b814d06a1c3e5f708192a3b4c5d6e7f; Path=/; Domain=example.org; "
                    + "Max-Age=86400; Secure; HttpOnly; SameSite=Lax"
            ),
            ("X-Request-Id", "0b9f1c7e-54d2-4e0b-9a57-6a3f8d21c4be"),
        ]
        kept = ResponseHead(status: .ok, headers: HTTPHeaders(fields))
    }

    mutating func encode() throws -> Int {
        output.removeAll(keepingCapacity: true)
        switch label {
        case "headers":
            try ResponseHeadEncoder.encode(kept, into: &output)
        case "refilled":
            scratch.headers.removeAll(keepingCapacity: true)
            for (name, value) in fields { scratch.headers.append(name, value) }
            try ResponseHeadEncoder.encode(scratch, into: &output)
        default:
            try ResponseHeadEncoder.encode(.ok, into: &output) { writer in
                for (name, value) in fields { writer.append(name, value) }
            }
        }
        return output.count
    }
}
