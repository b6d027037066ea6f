import ClientSupport
import HTTPClient
import Support
import Testing

@Suite struct FingerprintTests {
    private func request(_ change: (inout HTTPRequest) -> Void = { _ in }) -> HTTPRequest {
        var request = HTTPRequest(.put, "https://a.test/x?b=1", body: .string("hello"))
        request.headers = ["X-B": "1", "x-a": "2"]
        change(&request)
        return request
    }

    /// A value that another program computed, so that a change of the format is noticed.
    @Test func `a fingerprint is the same in each process`() async throws {
        let digest = try await request().fingerprint
        #expect(
            digest.hex == "0ee31e9753010b02331251d8c35bf3b12dbf472dbd6e85cae13def7fed8b70c5"
        )
    }

    @Test func `order of names, case of names, secrets and the fragment do not count`() async throws
    {
        let first = try await request().fingerprint
        let same = [
            request { $0.headers = ["X-A": "2", "x-b": "1"] },
            request { $0.headers[.authorization] = "Bearer abc" },
            request { $0.headers.apiKey = "abc" },
            request { $0.url = "https://a.test/x?b=1#part" },
            request { $0.timeout = .seconds(3) },
        ]
        for request in same { #expect(try await request.fingerprint == first) }
        var secrets: [HTTPDigest] = []
        for token in ["k", "l"] {
            let request = HTTPRequest("https://a.test/?access_token=" + token)
            secrets.append(try await request.fingerprint)
        }
        #expect(secrets[0] == secrets[1])
    }

    @Test func `method, URL, fields, type and body count`() async throws {
        let others = [
            request(), request { $0.method = .post }, request { $0.url = "https://a.test/x?b=2" },
            request { $0.headers["x-a"] = "3" }, request { $0.headers.append("x-a", "2") },
            request { $0.headers[.contentType] = "a/b" }, request { $0.body = .string("hellp") },
            request { $0.body = .empty },
        ]
        var found: Set<HTTPDigest> = []
        for request in others { found.insert(try await request.fingerprint) }
        #expect(found.count == others.count)
    }

    @Test func `a body is covered whether it is bytes, a file or a sequence`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("hello", as: "a.txt")
        let type: HTTPContentType = "text/plain; charset=utf-8"
        let first = try await request().fingerprint
        let pieces = HTTPBody.stream(contentType: type) {
            WatchedPieces([104, 101, 108, 108, 111], 1)
        }
        for body in [HTTPBody.file(path, contentType: type), pieces] {
            #expect(try await request { $0.body = body }.fingerprint == first)
            #expect(try await request { $0.body = body }.fingerprint == first)
        }
    }

    @Test func `a body that cannot be read again has no fingerprint`() async throws {
        let once = request { $0.body = .stream(WatchedPieces([65], 1)) }
        let error = await failure { try await once.fingerprint }
        #expect(error?.kind == .bodyFailed(.notReplayable(.first)))
        let missing = request { $0.body = .file("/missing/file") }
        let other = await failure { try await missing.fingerprint }
        guard case .invalidRequest(.bodyFile) = other?.kind else {
            Issue.record("another error")
            return
        }
    }
}
