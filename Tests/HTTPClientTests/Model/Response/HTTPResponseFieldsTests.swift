import HTTPClient
import HTTPTestServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPResponseFieldsTests {
    private let client = HTTPClient()

    /// A request path, the fields of its response, and the values resolved against the request's URL.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let status: HTTPStatus
        let headers: HTTPHeaders
        let location: String?
        let next: String?
        let fileName: String?

        init(
            _ path: String,
            _ status: HTTPStatus,
            _ headers: HTTPHeaders,
            location: String? = nil,
            next: String? = nil,
            fileName: String? = nil
        ) {
            testDescription = "\(path) \(status) \(headers)"
            self.path = path
            self.status = status
            self.headers = headers
            self.location = location
            self.next = next
            self.fileName = fileName
        }
    }

    @Test(arguments: [
        Row("/a/b?c", .created, [.location: "d"], location: "/a/d", fileName: "b"),
        Row("/a/b#e", .found, [.location: "/d"], location: "/d#e", fileName: "b"),
        Row("/a/b#e", .found, [.location: "/d#f"], location: "/d#f", fileName: "b"),
        Row("/a/b#e", .created, [.location: "/d"], location: "/d", fileName: "b"),
        Row("/a/b", .found, [.location: "http://[x/"], fileName: "b"),
        Row("/l/", .ok, [.link: "<x>; rel=prev, <?p=2>; rel=\"Next\""], next: "/l/?p=2"),
        Row("/l/", .ok, [.link: "<x>; rel=next; anchor=\"#y\", <z>; rel=next"], next: "/l/z"),
        Row("/l/", .ok, [.link: "<x>; rel=prev"]),
        Row("/a%2F..%2F%2e%2e%2fb.txt?q=1", .ok, [:], fileName: "b.txt"),
        Row("/caf%C3%A9.txt", .ok, [:], fileName: "café.txt"), Row("/%2e%2e", .ok, [:]),
        Row(
            "/a",
            .ok,
            [.contentDisposition: "attachment; filename=\"c:\\\\x\\\\y.pdf\""],
            fileName: "y.pdf"
        ),
        Row("/a", .ok, [.contentDisposition: "inline"], fileName: "a"),
    ])
    func `fields of a response are resolved against the request URL`(row: Row) async throws {
        let server = try await HTTPTestServer.start { _ in
            .status(row.status, headers: row.headers)
        }
        let request = HTTPRequest(server.url + row.path).with { $0.redirectMode = .refuse }
        let response = try await client.send(request)
        #expect(response.location?.text == row.location.map { server.url + $0 })
        #expect(response.link("next")?.text == row.next.map { server.url + $0 })
        #expect(response.suggestedFileName == row.fileName)
        let stream = try await client.stream(request)
        #expect(stream.location == response.location)
        #expect(stream.link("NEXT") == response.link("next"))
        #expect(stream.suggestedFileName == row.fileName)
        #expect(stream.contentType == response.contentType)
    }
}
