import Testing
import Wire

@Suite struct RequestHeadAuthorityTests {
    struct Row: CustomTestStringConvertible {
        var target: RequestTarget
        var method: HTTPMethod = .get
        var host: String?
        var authority: String?
        var uri: Result<String, WireError>
        var testDescription: String { "\(method) \(target) \(host ?? "-")" }
    }

    static let rows: [Row] = [
        Row(
            target: .origin("/a?b"),
            host: "h:8080",
            authority: "h:8080",
            uri: .success("https://h:8080/a?b")
        ),
        Row(target: .origin("/"), host: "h", authority: "h", uri: .success("https://h/")),
        Row(target: .origin("/"), host: nil, authority: nil, uri: .failure(.missingHost)),
        Row(target: .origin("/"), host: "", authority: "", uri: .failure(.missingHost)),
        Row(
            target: .absolute("http://a:1/p?q"),
            host: "other",
            authority: "a:1",
            uri: .success("http://a:1/p?q")
        ),
        Row(target: .absolute("http://a?q"), authority: "a", uri: .success("http://a?q")),
        Row(target: .absolute("http://a"), authority: "a", uri: .success("http://a")),
        Row(
            target: .authority("h:443"),
            method: .connect,
            host: "other",
            authority: "h:443",
            uri: .success("https://h:443")
        ),
        Row(
            target: .asterisk,
            method: .options,
            host: "h",
            authority: "h",
            uri: .success("https://h")
        ),
    ]

    @Test(.tags(.rfc9112), arguments: rows)
    func `§3.3: the target URI is built from scheme, authority and target`(row: Row) {
        var head = RequestHead(method: row.method, target: row.target)
        head.headers[.host] = row.host
        #expect(head.authority == row.authority)
        let result = Result { () throws(WireError) in try head.targetURI(scheme: .https).text }
        #expect(result == row.uri)
    }

    @Test func `a target that is invalid in a URI is rejected`() {
        let head = RequestHead(method: .get, target: .origin("/{"), headers: [.host: "h"])
        #expect(throws: WireError.self) { _ = try head.targetURI(scheme: .http) }
    }
}
