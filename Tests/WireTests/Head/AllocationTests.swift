import CAllocations
import Testing
import Wire

/// Verifies that decoding heads and bodies allocates nothing in steady state.
@Suite(.enabled(if: allocations_are_counted() != 0, "a sanitizer replaces the allocator"))
struct AllocationTests {
    private static let response = Array(
        ("HTTP/1.1 200 OK\r\nDate: Tue, 18 Nov 2025 10:20:30 GMT\r\nContent-Length: 12\r\n"
            + "Access-Control-Allow-Credentials: true\r\nX-Request-Identifier: 0123456789abcdef\r\n"
            + "Connection: keep-alive\r\nSet-Cookie: \(String(repeating: "c", count: 200))\r\n\r\n")
            .utf8
    )
    private static let path = "/a/path/of/more/than/fifteen/bytes?with=a&query"
    private static let request = Array(
        ("POST \(path) HTTP/1.1\r\nHost: example.org\r\n"
            + "Content-Length: 12\r\nAccept: */*\r\nUser-Agent: test\r\n\r\n").utf8
    )

    private struct CheckFailed: Error {}

    /// Throws if the condition is false; unlike `#expect`, it does not allocate.
    private func check(_ isRight: Bool) throws {
        guard isRight else { throw CheckFailed() }
    }

    /// Returns the allocations of 200 rounds, after 20 uncounted rounds.
    private func allocations(_ round: () throws -> Void) rethrows -> UInt {
        for _ in 0..<20 { try round() }
        let before = allocations_of_this_thread()
        for _ in 0..<200 { try round() }
        return allocations_of_this_thread() - before
    }

    @Test func `the counter counts allocations`() {
        #expect(allocations { _ = [UInt8](repeating: 1, count: 100) } >= 200)
    }

    @Test(arguments: [[], [1], [20, 60], [5, 6, 7, 300]])
    func `decoding heads in a buffer allocates nothing`(cuts: [Int]) throws {
        var responses = ResponseHeadDecoder()
        var requests = RequestHeadDecoder()
        var buffer = InputBuffer()
        let response = Self.response
        let request = Self.request
        let responseEnds = cuts + [response.count]
        let requestEnds = cuts.filter { $0 < request.count } + [request.count]
        let count = try allocations {
            var start = 0
            // An index loop, because an array's iterator allocates in debug builds.
            for index in 0..<responseEnds.count {
                let end = responseEnds[index]
                buffer.append(response.span.extracting(start..<end))
                start = end
                let step = try responses.decode(in: &buffer)
                buffer.consume(step.consumed)
                guard let head = step.head else { continue }
                try check(head.status == 200 && head.headers.contains(.contentLength))
            }
            start = 0
            for index in 0..<requestEnds.count {
                let end = requestEnds[index]
                buffer.append(request.span.extracting(start..<end))
                start = end
                let step = try requests.decode(in: &buffer)
                buffer.consume(step.consumed)
                guard let head = step.head else { continue }
                try check(head.target.withBytes { $0.count == Self.path.utf8.count })
                try check(head.method == .post && head.target.form == .origin)
            }
            try check(buffer.isEmpty)
        }
        #expect(count == 0)
    }

    @Test func `decoding heads in a span allocates nothing when they are recycled`() throws {
        var responses = ResponseHeadDecoder()
        var requests = RequestHeadDecoder()
        let count = try allocations {
            guard let response = try responses.decode(Self.response.span).head,
                let request = try requests.decode(Self.request.span).head
            else { throw CheckFailed() }
            responses.recycle(response)
            requests.recycle(request)
        }
        #expect(count == 0)
    }

    @Test func `determining the framing allocates nothing`() throws {
        var responses = ResponseHeadDecoder()
        var buffer = InputBuffer()
        let body = Array("hello, world".utf8)
        let count = try allocations {
            buffer.append(Self.response.span)
            buffer.append(body.span)
            let step = try responses.decode(in: &buffer)
            buffer.consume(step.consumed)
            guard let head = step.head else { throw CheckFailed() }
            let framing = try BodyFraming.ofResponse(
                to: .get,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
            var decoder = BodyDecoder(framing)
            while true {
                let step = try buffer.withBytes { bytes throws(WireError) in
                    try decoder.decode(bytes)
                }
                buffer.consume(step.consumed)
                if case .end = step.event { break }
            }
            try check(buffer.isEmpty)
        }
        #expect(count == 0)
    }

    @Test func `decoding chunks allocates nothing`() throws {
        let body = Array("5\r\nhello\r\n7;a=b\r\n, world\r\n0\r\n\r\n".utf8)
        let count = try allocations {
            var decoder = ChunkedDecoder()
            var start = 0
            while true {
                let step = try decoder.decode(body.span.extracting(start..<body.count))
                start += step.consumed
                if case .end = step.event { break }
            }
            try check(start == body.count)
        }
        #expect(count == 0)
    }
}
