import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests that the description of an error names what the caller can change.
@Suite(.timeLimit(.minutes(10))) struct ErrorAdviceTests {
    private let client = HTTPClient()

    @Test func `a body above the limit names the limit and the other ways`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("0123456789") }
        let limited = client.with { $0.collectLimit = 4 }
        let error = await failure { try await limited.send(server.url) }
        let text = error?.description
        #expect(
            text?.hasPrefix(
                "the body is larger than 4 bytes: raise collectLimit, or use stream or download ["
            ) == true
        )
    }

    @Test(
        arguments: [
            ("total", .total, "timeouts.total is 0 s; "),
            ("queue", .queue, nil),
            ("connect", .connect, "timeouts.connect is 0 s; "),
            ("establish", .establish, "timeouts.establish is 0 s; "),
            ("requestHead", .sending, "timeouts.requestHead is 0 s, timeouts.writeIdle is 60 s; "),
            ("responseHead", .responseHead, "timeouts.responseHead is 0 s; "),
            ("readIdle", .body, "timeouts.readIdle is 0 s; "),
            ("writeIdle", .sending, "timeouts.requestHead is 60 s, timeouts.writeIdle is 0 s; "),
        ] as [(String, HTTPPhase, String?)]
    )
    func `a timeout names its setting and the value`(
        name: String,
        phase: HTTPPhase,
        expected: String?
    ) async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        let hurried = client.with {
            switch name {
            case "total": $0.timeouts.total = .zero
            case "queue": $0.timeouts.queue = .zero
            case "connect": $0.timeouts.connect = .zero
            case "establish": $0.timeouts.establish = .zero
            case "requestHead": $0.timeouts.requestHead = .zero
            case "responseHead": $0.timeouts.responseHead = .zero
            case "readIdle": $0.timeouts.readIdle = .zero
            default: $0.timeouts.writeIdle = .zero
            }
        }
        let request = HTTPRequest(server.url)
        guard let expected else {
            #expect(try await hurried.send(request).isSuccess)
            return
        }
        let error = await failure { try await hurried.send(request) }
        #expect(error?.kind == .timedOut(phase))
        let text = error?.description ?? ""
        #expect(text.hasPrefix("timed out (\(phase)): \(expected)"), "\(text)")
    }

    @Test func `the total timeout is named in a call with credentials, too`() async throws {
        let never = Gate()
        defer { never.open() }
        let origin = try ScriptedOrigin([.expectHead, .pause(never)])
        let hurried = client.with {
            $0.authentication = .bearer("token")
            $0.timeouts.total = .milliseconds(50)
        }
        let error = await failure { try await hurried.send(origin.url) }
        #expect(error?.kind == .timedOut(.total))
        let text = error?.description ?? ""
        #expect(text.hasPrefix("timed out (total): timeouts.total is 0.05 s; "), "\(text)")
    }

    @Test func `a total timeout that passes in a closure says so`() async throws {
        struct EndlessInterceptor: HTTPInterceptor {
            func intercept(
                _ request: HTTPRequest,
                _ context: HTTPContext,
                next: HTTPNext
            ) async throws -> HTTPInterceptorResult {
                try await Task.sleep(for: .seconds(3600))
                return try await next(request)
            }
        }
        let waiting = client.with {
            $0.interceptors = [EndlessInterceptor()]
            $0.timeouts.total = .milliseconds(50)
        }
        let error = await failure { try await waiting.send("http://127.0.0.1/") }
        #expect(error?.kind == .timedOut(.total))
        let text = error?.description ?? ""
        let detail =
            "timeouts.total is 0.05 s, and passed during an interceptor, a validator or another closure"
        #expect(text.hasPrefix("timed out (total): \(detail)"), "\(text)")
    }

    @Test func `the status is that of a refused response only`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/missing" ? .status(.notFound) : .text("hello")
        }
        let refused = await failure {
            try await client.fetch(String.self, from: "\(server.url)/missing")
        }
        #expect(refused?.status == .notFound)
        let limited = client.with { $0.collectLimit = 1 }
        let large = await failure { try await limited.send(server.url) }
        #expect(large?.status == nil && large?.head?.status == .ok)
    }

    @Test func `the queue's limit is named with its value`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        let queue = HTTPClientQueue(maxSimultaneousRequests: 1, waitLimit: .milliseconds(1))
        queue.suspend()
        let queued = client.with { $0.queue = queue }
        let error = await failure { try await queued.send(server.url) }
        #expect(
            error?.description.hasPrefix("timed out (queue): waitLimit of the queue is 0.001 s; ")
                == true
        )
    }

    @Test func `a rejected status has its reason phrase and the start of the body`() async throws {
        let server = try await HTTPTestServer.start { request in
            request.path == "/empty"
                ? .status(.notFound)
                : .text("no user\n" + String(repeating: "x", count: 100), status: .notFound)
        }
        let start = "no user " + String(repeating: "x", count: 72) + "…"
        let directory = try TemporaryDirectory()
        for error in [
            await failure { try await client.send(server.url).requireSuccess() },
            await failure { try await client.stream(server.url).requireSuccess() },
            await failure { try await client.fetch(String.self, from: server.url) },
            await failure {
                try await client.download(HTTPRequest(server.url), to: directory.path + "/file")
            },
        ] {
            let text = error?.description ?? ""
            #expect(
                text.hasPrefix("the status is 404 Not Found, with the body \"\(start)\" ["),
                "\(text)"
            )
            #expect(error?.phase == .validating)
        }
        let empty = await failure { try await client.send(server.url + "/empty").requireSuccess() }
        #expect(empty?.description.hasPrefix("the status is 404 Not Found [") == true)
    }

    @Test func `a refused header field is named, and nothing was being sent`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("") }
        for (name, value) in [("my header", "a"), ("X-Line", "a\r\nb")] {
            var request = HTTPRequest(server.url)
            request.headers[FieldName(name)] = value
            let error = await failure { try await client.send(request) }
            #expect(
                error?.description.contains(": \"\(name)\" [GET ") == true,
                "\(String(describing: error))"
            )
            #expect(error?.phase == .preparing)
            #expect(error?.blame == .caller)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `an untrusted authority and a directory name the setting`() async throws {
        let server = try await HTTPTestServer.start(tls: .selfIssued) { _ in .text("") }
        let untrusted = await failure { try await client.send(server.url) }
        #expect(
            untrusted?.description.contains(
                ": to trust its authority, set security.trust to .system.adding(.file(…)) ["
            ) == true
        )
        let plain = try await HTTPTestServer.start { _ in .text("") }
        let directory = try TemporaryDirectory()
        let error = await failure { try await client.download(plain.url, to: directory.path) }
        #expect(
            error?.description.contains(
                "Is a directory: name the file, or set naming of the download options to .suggested ["
            ) == true,
            "\(String(describing: error))"
        )
    }
}
