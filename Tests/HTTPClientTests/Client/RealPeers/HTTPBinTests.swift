import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests the client with httpbin under gunicorn.
@Suite(.timeLimit(.minutes(10))) struct HTTPBinTests {
    @Test func `httpbin receives methods, fields and bodies as sent`() async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let client = HTTPClient()
        for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
            let request = HTTPRequest(
                httpbin.url + "/\(method.rawValue.lowercased())?a=1&a=2&b=%C3%A4",
                method: method,
                headers: ["X-Test": "one"],
                body: method == .get ? .empty : .string("héllo")
            )
            let response = try await client.send(request)
            #expect(response.status == .ok)
            #expect(response.text.contains(#""X-Test": "one""#))
            #expect(response.text.contains(#""b": "\u00e4""#))
            if method != .get { #expect(response.text.contains(#""data": "h\u00e9llo""#)) }
        }
        let head = try await client.send(HTTPRequest(httpbin.url + "/get", method: .head))
        #expect(head.status == .ok)
        #expect(head.body == [])
        await expectUnharmed(client, next: HTTPRequest(httpbin.url + "/get"), ports: httpbin.port)
        httpbin.stop()
    }

    @Test func `every status of httpbin is a response`() async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let client = HTTPClient().with { $0.redirects = .refuse }
        for code in [200, 204, 301, 304, 400, 401, 404, 418, 500, 503] {
            let response = try await client.send(HTTPRequest(httpbin.url + "/status/\(code)"))
            #expect(response.status.code == code)
        }
        await expectUnharmed(client, next: HTTPRequest(httpbin.url + "/get"), ports: httpbin.port)
        httpbin.stop()
    }

    @Test func `gzip and deflate are decoded, and streams and delays are received`() async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let client = HTTPClient()
        let gzip = try await client.send(HTTPRequest(httpbin.url + "/gzip"))
        #expect(gzip.text.contains(#""gzipped": true"#))
        let deflate = try await client.send(HTTPRequest(httpbin.url + "/deflate"))
        #expect(deflate.text.contains(#""deflated": true"#))
        let lines = try await client.send(HTTPRequest(httpbin.url + "/stream/20"))
        #expect(lines.body.count { $0 == UInt8(ascii: "\n") } == 20)
        let late = try await client.send(HTTPRequest(httpbin.url + "/delay/0.3"))
        #expect(late.status == .ok)
        let drip = HTTPRequest(httpbin.url + "/drip?duration=0.3&numbytes=10&delay=0")
        #expect(try await client.send(drip).body.count == 10)
        await expectUnharmed(client, next: HTTPRequest(httpbin.url + "/get"), ports: httpbin.port)
        httpbin.stop()
    }

    @Test func `a range is delivered, and one beyond the end is rejected`() async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let client = HTTPClient()
        let url = httpbin.url + "/range/26"
        let part = try await client.send(HTTPRequest(url, headers: [.range: "bytes=3-5"]))
        #expect(part.status == .partialContent)
        #expect(part.text == "def")
        #expect(part.headers[.contentRange] == "bytes 3-5/26")
        let behind = try await client.send(HTTPRequest(url, headers: [.range: "bytes=26-"]))
        #expect(behind.status == .rangeNotSatisfiable)
        await expectUnharmed(client, next: HTTPRequest(url), ports: httpbin.port)
        httpbin.stop()
    }

    @Test func `forms are parsed by httpbin as sent`() async throws {
        let httpbin = try LoopbackProgram.httpbin()
        let client = HTTPClient()
        let url = httpbin.url + "/post"
        let fields = [
            ("a b", "1&2=3+4%"), ("ü", "é\r\nz"), ("twice", "x"), ("twice", "y"), ("", "e"),
        ]
        let parameters = HTTPParameters(fields.map { ($0.0, $0.1) })
        let form = HTTPRequest(url, method: .post, body: .form(parameters))
        let read = try await client.send(form).json()
        #expect(read["headers"]["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(read["form"]["a b"] == "1&2=3+4%")
        #expect(read["form"]["ü"] == "é\r\nz")
        #expect(read["form"]["twice"] == ["x", "y"])
        #expect(read["data"] == "")
        let directory = try TemporaryDirectory()
        let path = try directory.write("contents of the file", as: "upload.txt")
        let multipart = HTTPRequest(url, method: .post).multipart {
            $0.add(string: "täxt", name: "a \"quoted\" name")
            $0.add(file: path, name: "the \"file\"")
        }
        let parts = try await client.send(multipart).json()
        #expect(parts["form"]["a \"quoted\" name"] == "täxt")
        #expect(parts["files"]["the \"file\""] == "contents of the file")
        let length = parts["headers"]["Content-Length"].string.flatMap { Int($0) }
        #expect(length != nil && length == multipart.body.length)
        await expectUnharmed(client, next: HTTPRequest(httpbin.url + "/get"), ports: httpbin.port)
        httpbin.stop()
    }
}
