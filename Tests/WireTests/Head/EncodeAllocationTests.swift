import Testing
import Wire

/// Verifies that writing messages into a reused array allocates nothing in steady state.
@Suite(.enabled(if: AllocationCount.isAvailable, "a sanitizer replaces the allocator"))
struct EncodeAllocationTests {
    private static let name: FieldName = "X-Request-Identifier"
    private static let cookie = "session=0123456789abcdef0123456789abcdef; Path=/; HttpOnly"
    private static let headers: HTTPHeaders = [
        .host: "example.org", .contentType: "application/json; charset=utf-8",
        .contentLength: "90417", .etag: "\"65e5a1f0-16131\"", .setCookie: cookie,
        .setCookie: cookie, .cacheControl: "public, max-age=604800", name: "0123456789",
    ]
    private static let lines =
        "Host: example.org\r\nContent-Type: application/json; charset=utf-8\r\n"
        + "Content-Length: 90417\r\nETag: \"65e5a1f0-16131\"\r\nSet-Cookie: \(cookie)\r\n"
        + "Set-Cookie: \(cookie)\r\nCache-Control: public, max-age=604800\r\n"
        + "X-Request-Identifier: 0123456789\r\n\r\n"
    private static let response = Array("HTTP/1.1 200 OK\r\n\(lines)".utf8)
    private static let path = "/a/path/of/more/than/fifteen/bytes?with=a&query"
    private static let request = Array("POST \(path) HTTP/1.1\r\n\(lines)".utf8)

    @Test func `encoding reused headers allocates nothing`() throws {
        let response = ResponseHead(status: .ok, headers: Self.headers)
        let request = RequestHead(
            method: .post,
            target: .origin(Self.path),
            headers: Self.headers
        )
        var output: [UInt8] = []
        let count = try AllocationCount.of {
            output.removeAll(keepingCapacity: true)
            try ResponseHeadEncoder.encode(response, into: &output)
            try AllocationCount.check(output == Self.response)
            output.removeAll(keepingCapacity: true)
            try RequestHeadEncoder.encode(request, into: &output)
            try AllocationCount.check(output == Self.request)
        }
        #expect(count == 0)
    }

    @Test func `encoding headers filled again allocates nothing`() throws {
        var head = ResponseHead(status: .ok)
        var output: [UInt8] = []
        let count = try AllocationCount.of {
            head.headers.removeAll(keepingCapacity: true)
            head.headers.append(.host, "example.org")
            head.headers.append(.contentType, "application/json; charset=utf-8")
            head.headers.append(.contentLength, "90417")
            head.headers.append(.etag, "\"65e5a1f0-16131\"")
            head.headers.append(.setCookie, Self.cookie)
            head.headers.append(.setCookie, Self.cookie)
            head.headers.append(.cacheControl, "public, max-age=604800")
            head.headers.append(Self.name, "0123456789")
            output.removeAll(keepingCapacity: true)
            try ResponseHeadEncoder.encode(head, into: &output)
            try AllocationCount.check(output == Self.response)
        }
        #expect(count == 0)
    }

    @Test func `writing names and values allocates nothing`() throws {
        func write(_ fields: borrowing FieldWriter) {
            fields.append(.host, "example.org")
            fields.append(.contentType, "application/json; charset=utf-8")
            fields.append(.contentLength, 90417)
            fields.append(.etag, "\"65e5a1f0-16131\"")
            fields.append(.setCookie, Self.cookie)
            fields.append(.setCookie, bytes: Self.cookie.utf8.span)
            fields.append(.cacheControl, "public, max-age=604800")
            fields.append(Self.name, "0123456789")
        }
        let target = RequestTarget.origin(Self.path)
        var output: [UInt8] = []
        let count = try AllocationCount.of {
            output.removeAll(keepingCapacity: true)
            try ResponseHeadEncoder.encode(.ok, into: &output) { write($0) }
            try AllocationCount.check(output == Self.response)
            output.removeAll(keepingCapacity: true)
            try RequestHeadEncoder.encode(.post, target, into: &output) { write($0) }
            try AllocationCount.check(output == Self.request)
        }
        #expect(count == 0)
    }

    @Test func `writing a reused section allocates nothing`() throws {
        var output: [UInt8] = []
        let count = try AllocationCount.of {
            output.removeAll(keepingCapacity: true)
            try ResponseHeadEncoder.encode(.ok, into: &output) { fields in
                fields.append(contentsOf: Self.headers)
            }
            try AllocationCount.check(output == Self.response)
        }
        #expect(count == 0)
    }

    @Test func `encoding chunks and their end allocates nothing`() throws {
        let content = [UInt8](repeating: 0x78, count: 1000)
        let trailers: HTTPHeaders = [.etag: "\"1\"", "Server-Timing": "total;dur=1"]
        let end = Array("0\r\nETag: \"1\"\r\nServer-Timing: total;dur=1\r\n\r\n".utf8)
        let expected = Array("3e8\r\n".utf8) + content + [13, 10] + end
        var output: [UInt8] = []
        let count = try AllocationCount.of {
            output.removeAll(keepingCapacity: true)
            ChunkedEncoder.encode(content.span, into: &output)
            try ChunkedEncoder.encodeEnd(trailers: trailers, into: &output)
            try AllocationCount.check(output == expected)
            output.removeAll(keepingCapacity: true)
            var encoder = BodyEncoder(.chunked)
            try encoder.begin(content.count, into: &output)
            output += content
            encoder.end(into: &output)
            try encoder.finish(trailers: trailers, into: &output)
            try AllocationCount.check(output == expected)
        }
        #expect(count == 0)
    }
}
