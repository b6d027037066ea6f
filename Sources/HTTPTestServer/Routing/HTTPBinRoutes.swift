internal import SocketTransport

/// The built-in routes, modeled on httpbin.
enum HTTPBinRoutes {
    static func answer(
        _ request: HTTPTestServer.Request
    ) async throws -> HTTPTestServer.Response {
        let parts = request.path.split(separator: "/").map(String.init)
        let first = parts.first ?? ""
        let second = parts.count > 1 ? parts[1] : ""
        switch (first, parts.count) {
        case ("anything", _): return .echo(request)
        case ("get", 1), ("post", 1), ("put", 1), ("patch", 1), ("delete", 1):
            let method = HTTPMethod(first.uppercased())
            guard request.method == method else {
                return .status(.methodNotAllowed, headers: [.allow: method.rawValue])
            }
            return .echo(request)
        case ("status", 2):
            guard let code = Int(second), 200...599 ~= code else { return .badRequest }
            return .status(HTTPStatus(code))
        case ("delay", 2):
            guard let seconds = Double(second), seconds >= 0 else { return .badRequest }
            return .echo(request).delayed(by: .seconds(min(seconds, 10)))
        case ("bytes", 2):
            guard let count = Int(second), 0...(1 << 20) ~= count else { return .badRequest }
            return .bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        case ("stream", 2):
            guard let count = Int(second), 0...1000 ~= count else { return .badRequest }
            return .chunks((0..<count).map { "{\"line\": \($0)}\n" })
        case ("gzip", 1): return .echo(request).gzipped()
        case ("redirect", 2):
            guard let count = Int(second), count > 0 else { return .badRequest }
            return .redirect(to: count == 1 ? "/anything" : "/redirect/\(count - 1)")
        case ("redirect-to", 1):
            guard let url = request.parameter("url") else { return .badRequest }
            let code = request.parameter("status_code").flatMap { Int($0) } ?? 302
            return .redirect(to: url, status: HTTPStatus(code))
        case ("cookies", 1): return .json(EchoDocument.object(request.cookies))
        case ("cookies", 2) where second == "set": return setCookies(request)
        case ("basic-auth", 3): return basic(request, second, parts[2])
        case ("bearer", 1):
            let value = request.headers[.authorization] ?? ""
            return value.hasPrefix("Bearer ") ? .echo(request) : .challenge("Bearer")
        case ("fault", 2): return failure(second)
        default: return .text("no route for \(request.path)\n", status: .notFound)
        }
    }

    private static func setCookies(
        _ request: HTTPTestServer.Request
    ) -> HTTPTestServer.Response {
        request.parameters(ofQuery: request.query ?? "").reduce(.redirect(to: "/cookies")) {
            $0.header(.setCookie, "\($1.name)=\($1.value); Path=/")
        }
    }

    private static func basic(
        _ request: HTTPTestServer.Request,
        _ user: String,
        _ password: String
    ) -> HTTPTestServer.Response {
        let expected = Base64Text.encode(PercentCoding.decode("\(user):\(password)"))
        return request.headers[.authorization] == "Basic \(expected)"
            ? .echo(request) : .challenge(#"Basic realm="practice""#)
    }

    private static func failure(_ name: String) -> HTTPTestServer.Response {
        switch name {
        case "close": .close
        case "reset": .reset
        case "stall": .stall
        case "truncated": .text("Hello, world").truncated(to: 5)
        case "malformed": .raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n")
        default: .text("no such fault: \(name)\n", status: .notFound)
        }
    }
}

extension HTTPTestServer.Response {
    fileprivate static var badRequest: Self { .status(.badRequest) }

    fileprivate static func challenge(_ value: String) -> Self {
        .status(.unauthorized, headers: [.wwwAuthenticate: value])
    }
}

extension HTTPTestServer.Request {
    fileprivate var cookies: [(name: String, value: String)] {
        headers.values(.cookie).flatMap { $0.split(separator: ";") }.map { pair in
            let parts = pair.drop { $0 == " " }.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    fileprivate func parameter(_ name: String) -> String? {
        parameters(ofQuery: query ?? "").first { $0.name == name }?.value
    }
}
