import Testing
import Wire

/// Tests the rules of RFC 9112 §3.
@Suite(.tags(.rfc9112)) struct RequestLineTests {
    private func error(_ line: String, host: String = "Host: h\r\n") -> WireError? {
        AllSplits.requestError("\(line)\r\n\(host)\r\n")
    }

    @Test("RFC 9112 §3: more than one space between method, target and version is rejected")
    func singleSpaces() {
        #expect(error("GET  / HTTP/1.1") == .malformedRequestLine(offset: 4))
        #expect(error("GET\t/ HTTP/1.1") == .malformedRequestLine(offset: 3))
        #expect(error("GET /  HTTP/1.1") == .malformedVersion(offset: 6))
        #expect(error("GET / HTTP/1.1 ") == .malformedVersion(offset: 14))
        #expect(error(" GET / HTTP/1.1") == .malformedRequestLine(offset: 0))
    }

    @Test("RFC 9112 §3: an invalid request line gives 400")
    func invalidLine() {
        for line in ["GET", "GET /", "/ HTTP/1.1", "GET / a HTTP/1.1", "G ET / HTTP/1.1"] {
            #expect(error(line)?.responseStatus == .badRequest)
        }
    }

    @Test("RFC 9112 §3: a request line of 8000 bytes is accepted")
    func longLine() {
        let target = "/" + String(repeating: "a", count: 7985)
        let line = "GET \(target) HTTP/1.1\r\n"
        #expect(line.utf8.count == 8001)
        #expect(ServerOutcome("\(line)Host: h\r\n\r\n").lines == ["GET \(target) HTTP/1.1"])
    }

    @Test("RFC 9112 §3: a target that is too long gives 414")
    func targetTooLong() {
        var limits = WireLimits()
        limits.requestLineBytes = 30
        let long = "GET /\(String(repeating: "a", count: 30)) HTTP/1.1\r\nHost: h\r\n\r\n"
        let error = AllSplits.requestError(long, limits: limits)
        #expect(error == .limitExceeded(.requestLineBytes(30)))
        #expect(error?.responseStatus == .uriTooLong)
    }

    @Test("RFC 9112 §3.1: a method that is not a token is rejected")
    func methodIsToken() {
        #expect(AllSplits.served("M-SEARCH / HTTP/1.1\r\nHost: h\r\n\r\n").error == nil)
        #expect(error("G(T / HTTP/1.1") == .malformedRequestLine(offset: 1))
        #expect(throws: WireError.invalidMethod) {
            _ = try AllSplits.encoded(RequestHead(method: "GE T", target: .origin("/")))
        }
    }

    @Test("RFC 9112 §3.1: the method is case-sensitive")
    func methodCase() {
        #expect(HTTPMethod("get") != .get)
        #expect(AllSplits.served("get / HTTP/1.1\r\nHost: h\r\n\r\n").lines == ["get / HTTP/1.1"])
        // A lowercase "connect" is another method, which permits no authority-form target.
        #expect(error("connect h:1 HTTP/1.1") == .malformedRequestLine(offset: 8))
    }

    @Test("RFC 9112 §3.2: a target with whitespace, controls or a fragment is rejected")
    func targetBytes() {
        #expect(error("GET /\u{0} HTTP/1.1") == .malformedRequestLine(offset: 5))
        #expect(error("GET /#f HTTP/1.1") == .malformedRequestLine(offset: 5))
        for target in ["/a b", "/a\tb", "/a\r\nb", "/#f", "/\u{e9}", ""] {
            #expect(throws: WireError.self) {
                _ = try AllSplits.encoded(RequestHead(method: .get, target: .origin(target)))
            }
        }
    }

    @Test("RFC 9112 §3.2: an HTTP/1.1 request without Host gives 400")
    func hostMissing() {
        let error = error("GET / HTTP/1.1", host: "")
        #expect(error == .missingHost)
        #expect(error?.responseStatus == .badRequest)
        #expect(AllSplits.served("GET / HTTP/1.0\r\n\r\n").error == nil)
    }

    @Test("RFC 9112 §3.2: a request with two Host fields gives 400")
    func hostTwice() {
        for version in ["HTTP/1.1", "HTTP/1.0"] {
            let error = error("GET / \(version)", host: "Host: h\r\nhOST: h\r\n")
            #expect(error == .repeatedHost)
            #expect(error?.responseStatus == .badRequest)
        }
    }

    @Test("RFC 9112 §3.2: a request with an invalid Host gives 400")
    func hostInvalid() {
        for host in ["a b", "a/b", "a,b c", "u@h", "[::1", "h:x", "h:70000", "%zz"] {
            let error = error("GET / HTTP/1.1", host: "Host: \(host)\r\n")
            #expect(error == .malformedHost)
            #expect(error?.responseStatus == .badRequest)
        }
    }

    @Test("RFC 9112 §3.2: an empty Host is accepted for a target without an authority")
    func hostEmpty() {
        #expect(error("OPTIONS * HTTP/1.1", host: "Host:\r\n") == nil)
    }

    @Test("RFC 9112 §3.2: Host is the authority of the target URI without userinfo")
    func hostOfURI() throws {
        let uri = try URI("http://user:secret@EXAMPLE.com:8080/a")
        #expect(uri.origin?.authority == "example.com:8080")
    }

    @Test("RFC 9112 §3.2.1: an empty path is sent as a slash")
    func emptyPath() throws {
        #expect(try URI("http://h").requestTarget == "/")
        #expect(try URI("http://h?q=1").requestTarget == "/?q=1")
        #expect(try URI("http://h/a?b#c").requestTarget == "/a?b")
    }

    @Test("RFC 9112 §3.2.2: a server accepts absolute-form")
    func absoluteForm() {
        let outcome = AllSplits.served("GET http://a/p?q HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(outcome.lines == ["GET http://a/p?q HTTP/1.1"])
        #expect(outcome.error == nil)
    }

    @Test("RFC 9112 §3.2.2: absolute-form takes precedence over Host")
    func absoluteFormWins() throws {
        let head = RequestHead(
            method: .get,
            target: .absolute("http://a:1/p"),
            headers: [.host: "b"]
        )
        #expect(head.authority == "a:1")
        #expect(try head.targetURI(scheme: .http).text == "http://a:1/p")
    }

    @Test("RFC 9112 §3.2.2: a request in absolute-form without Host is rejected")
    func absoluteFormNeedsHost() {
        #expect(error("GET http://a/ HTTP/1.1", host: "") == .missingHost)
    }

    @Test("RFC 9112 §3.2.3: authority-form is accepted only for CONNECT")
    func authorityForm() {
        #expect(error("CONNECT h:443 HTTP/1.1") == nil)
        #expect(error("GET h:443 HTTP/1.1") == .malformedRequestLine(offset: 4))
        #expect(error("CONNECT /a HTTP/1.1") == .malformedRequestLine(offset: 8))
        #expect(error("CONNECT http://h:1/ HTTP/1.1") == .malformedRequestLine(offset: 8))
    }

    @Test("RFC 9112 §3.2.3: authority-form without host and port is rejected")
    func authorityHasPort() {
        for target in ["h", "h:", "h:0", ":443", "u@h:1", "h:1:2"] {
            #expect(error("CONNECT \(target) HTTP/1.1") == .malformedHost)
        }
    }

    @Test("RFC 9112 §3.2.4: asterisk-form is accepted only for OPTIONS")
    func asteriskForm() throws {
        #expect(error("OPTIONS * HTTP/1.1") == nil)
        #expect(error("GET * HTTP/1.1") == .malformedRequestLine(offset: 4))
        #expect(error("OPTIONS ** HTTP/1.1") == .malformedRequestLine(offset: 8))
        let head = RequestHead(method: .options, target: .asterisk, headers: [.host: "h"])
        #expect(try AllSplits.encoded(head).hasPrefix("OPTIONS * HTTP/1.1\r\n"))
    }

    @Test("RFC 9112 §3.3: the target URI is built from scheme, authority and target")
    func targetURI() throws {
        var head = RequestHead(method: .get, target: .origin("/a?b"), headers: [.host: "h:81"])
        #expect(try head.targetURI(scheme: .https).text == "https://h:81/a?b")
        head.target = .asterisk
        head.method = .options
        #expect(try head.targetURI(scheme: .http).text == "http://h:81")
        head.target = .authority("x:1")
        head.method = .connect
        #expect(try head.targetURI(scheme: .http).text == "http://x:1")
    }

    @Test("RFC 9112 §3.3: a request without an authority has no target URI")
    func noAuthority() {
        let head = RequestHead(method: .get, target: .origin("/"), version: .http10)
        #expect(head.authority == nil)
        #expect(throws: WireError.missingHost) { _ = try head.targetURI(scheme: .http) }
    }
}
