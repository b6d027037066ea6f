// The server for the snippets of README.md. Its responses show what it received, so that a snippet
// with a wrong request prints a wrong result. `scripts/check-readme` builds and starts it.
import Glibc
import HTTPTestServer

/// A TLS server for all names that the README uses, which runs until its standard input ends.
@main
struct ReadmeServer {
    /// The content that two snippets transfer, larger than any buffer.
    private static let film = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) }

    static func main() async throws {
        let names = ["example.com", "*.example.com"]
        let server = try await HTTPTestServer.start(tls: .selfIssued(for: names)) { answer($0) }
        print(server.port)
        print(String(decoding: server.certificateAuthorityPEM, as: UTF8.self))
        // The script reads this output through a pipe and waits for it.
        fflush(nil)
        while readLine() != nil {}
        await server.stop()
    }

    private static func answer(_ request: HTTPTestServer.Request) -> HTTPTestServer.Response {
        switch "\(request.method) \(request.path)" {
        case "GET /": .text("the page")
        // An event stream ends when the request for the events after the last one gets 204.
        case "GET /prices" where request.headers["Last-Event-ID"] == "1": .status(.noContent)
        case "GET /prices":
            .bytes(
                Array("retry: 10\nid: 1\ndata: tea 2.40\n\n".utf8),
                contentType: "text/event-stream"
            )
        case "GET /film": .bytes(film, contentType: "video/mp4")
        case "GET /image.iso": image(request.headers[.range])
        case "GET /orders/99": .json(#"{"title": "no such order"}"#, status: .notFound)
        case "GET /users/99": .text("no such user", status: .notFound)
        case "GET /v1/search" where request.headers[.userAgent] == "Program/1.0":
            .text("you asked for \(request.target)")
        case "PATCH /notes/1" where isOf("application/json", request): .text(request.text)
        case "POST /login" where isOf("application/x-www-form-urlencoded", request):
            .text(request.text)
        case "POST /orders"
        where isOf("application/json", request) && request.text == #"{"item":"tea"}"#
            && request.headers[.authorization] == "Bearer 1234":
            .status(.created)
        case "POST /pictures": .text(parts(of: request.text))
        case "PUT /film" where request.body == film:
            .text("\(film.count) bytes of \(request.headers[.contentType] ?? "nothing")")
        case let line where line.hasPrefix("GET /users/"): .json(#"{"name": "Ada"}"#)
        // No snippet should request this; the echo may show why one did.
        default: .echo(request).header("Refused", "yes")
        }
    }

    private static func isOf(_ type: String, _ request: HTTPTestServer.Request) -> Bool {
        request.headers[.contentType] == type
    }

    /// Truncates the content, and answers a range request for the rest.
    private static func image(_ range: String?) -> HTTPTestServer.Response {
        let begun = 120_000
        guard let range else {
            return .bytes(film).header(.etag, #""1""#).truncated(to: begun)
        }
        guard range == "bytes=\(begun)-" else { return .status(.rangeNotSatisfiable) }
        return .bytes(Array(film[begun...]), status: .partialContent).header(.etag, #""1""#)
            .header(.contentRange, "bytes \(begun)-\(film.count - 1)/\(film.count)")
    }

    /// Returns the parameters of each part of a form.
    private static func parts(of form: String) -> String {
        let mark = "Content-Disposition: form-data; "
        // CRLF is a single character in Swift.
        return form.split(separator: "\r\n").filter { $0.hasPrefix(mark) }
            .map { $0.dropFirst(mark.count) }.joined(separator: ", ")
    }
}
