import HTTPClient
import Testing

@Suite struct HTTPBodyTests {
    private func text(_ body: HTTPBody) -> String { String(decoding: body.bytes, as: UTF8.self) }

    @Test func `each kind knows its content type`() {
        #expect(HTTPBody.none.contentType == nil)
        #expect(HTTPBody.bytes([1, 2]).contentType == "application/octet-stream")
        #expect(HTTPBody.bytes([1], contentType: "image/png").contentType == "image/png")
        #expect(HTTPBody.string("ü").contentType == "text/plain; charset=utf-8")
        #expect(HTTPBody.string("ü").bytes == [0xC3, 0xBC])
        #expect(HTTPBody.json(text: "{}").contentType == "application/json")
        #expect(HTTPBody.form([]).contentType == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        ([("a", "1"), ("b", "2"), ("a", "3")], "a=1&b=2&a=3"),
        ([("q", "a b&c=d")], "q=a+b%26c%3Dd"),
        ([("ü", "~/*-._")], "%C3%BC=%7E%2F*-._"),
        ([("", "")], "="),
        ([], ""),
    ])
    func `a form is encoded as the URL Standard says`(fields: [(String, String)], expected: String)
    {
        #expect(text(.form(fields)) == expected)
    }
}
