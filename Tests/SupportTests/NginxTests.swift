import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct NginxTests {
    @Test func `nginx serves text, files and an upstream, and stops`() throws {
        let origin = try ScriptedOrigin([
            .expectHead, .reply("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nup"), .close,
        ])
        let nginx = try Nginx(upstream: origin.port, files: ["a.txt": Array("file a".utf8)])
        #expect(try get(nginx.port, "/").hasSuffix("\r\n\r\nhello, world\n"))
        #expect(try get(nginx.port, "/files/a.txt").hasSuffix("\r\n\r\nfile a"))
        #expect(try get(nginx.port, "/status/404").hasPrefix("HTTP/1.1 404 "))
        #expect(try get(nginx.port, "/proxy/x").hasSuffix("\r\n\r\nup"))
        #expect(origin.text().hasPrefix("GET /x HTTP/1.1\r\n"))
        nginx.stop()
        #expect(throws: Peer.Failed.self) { try Peer(nginx.port) }
    }

    private func get(_ port: Int, _ path: String) throws -> String {
        let peer = try Peer(port)
        peer.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return try #require(peer.readToEnd())
    }
}
