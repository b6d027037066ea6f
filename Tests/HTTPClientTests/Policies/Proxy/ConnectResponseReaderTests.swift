import HTTPClient
import Testing

@Suite struct ConnectResponseReaderTests {
    private static let head = RequestHead(
        method: .connect,
        target: .authority("a.test:443"),
        headers: [.host: "a.test:443"]
    )

    /// Feeds the bytes in pieces of `step` bytes.
    private func read(
        _ text: String,
        step: Int,
        ends: Bool = false
    ) throws -> (
        answer: ConnectResponseReader, outcome: ConnectResponseReader.Outcome, unread: String
    ) {
        var answer = ConnectResponseReader(to: Self.head, limits: .default)
        var (held, rest) = ([UInt8](), Array(text.utf8)[...])
        while true {
            let result = try answer.receive(held.span)
            held.removeFirst(result.consumed)
            if result.outcome != .needMore || rest.isEmpty {
                let outcome =
                    result.outcome == .needMore && ends
                    ? try answer.receiveEndOfStream() : result.outcome
                return (answer, outcome, String(decoding: held + rest, as: UTF8.self))
            }
            held += rest.prefix(step)
            rest = rest.dropFirst(step)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 Connection established\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 299 \r\n\r\n",
        // Fields that delimit content are ignored in a 2xx response to CONNECT.
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
        // Interim responses first.
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ])
    func `a CONNECT success opens the tunnel, and later bytes belong to the origin`(
        text: String
    ) throws {
        for step in 1...text.utf8.count + 6 {
            let result = try read(text + "hello", step: step)
            #expect(result.outcome == .opened)
            #expect(result.unread == "hello")
            #expect(result.answer.body.isEmpty)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 403 No\r\nContent-Length: 3\r\n\r\nwhy", "why", true),
        ("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n", "", true),
        (
            "HTTP/1.1 407 Who\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n", "why",
            true
        ),
        ("HTTP/1.1 407 Who\r\nContent-Length: 3\r\nConnection: close\r\n\r\nwhy", "why", false),
        ("HTTP/1.0 407 Who\r\nContent-Length: 3\r\n\r\nwhy", "why", false),
        ("HTTP/1.1 302 Go\r\nLocation: http://x/\r\nContent-Length: 0\r\n\r\n", "", true),
    ])
    func `a CONNECT refusal keeps its body`(
        text: String,
        body: String,
        canReuseConnection: Bool
    ) throws {
        for step in 1...text.utf8.count {
            let result = try read(text, step: step)
            #expect(result.outcome == .refused(canReuseConnection: canReuseConnection))
            #expect(String(decoding: result.answer.body, as: UTF8.self) == body)
            #expect(result.answer.head?.status != nil)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 503 No\r\n\r\nuntil close", "until close"),
        ("HTTP/1.1 503 No\r\nContent-Length: 99\r\n\r\ncut", "cut"),
        ("HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "ab"),
    ])
    func `a truncated refusal is still a refusal`(text: String, body: String) throws {
        let result = try read(text, step: 7, ends: true)
        #expect(result.outcome == .refused(canReuseConnection: false))
        #expect(String(decoding: result.answer.body, as: UTF8.self) == body)
    }

    @Test func `a refusal with malformed chunks is still a refusal`() throws {
        let text = "HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
        #expect(try read(text, step: 4).outcome == .refused(canReuseConnection: false))
    }

    @Test func `only the start of a large refusal body is kept`() throws {
        let page = String(repeating: "x", count: 200_000)
        let text = "HTTP/1.1 503 No\r\nContent-Length: 200000\r\n\r\n" + page
        let result = try read(text, step: 4096)
        #expect(result.outcome == .refused(canReuseConnection: false))
        #expect(result.answer.body.count == ConnectResponseReader.maxKeptBytes)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "\u{16}\u{3}\u{1}",
        "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        "HTTP/1.1 407 Who\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
    ])
    func `bytes that are not a response are rejected`(text: String) {
        #expect(throws: WireError.self) { try read(text, step: 1) }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n"])
    func `a proxy that closes without a response gives an error`(text: String) {
        #expect(throws: WireError.self) { try read(text, step: 100, ends: true) }
    }
}
