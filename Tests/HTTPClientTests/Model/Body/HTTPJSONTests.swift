import ClientSupport
import HTTPClient
import Testing

@Suite struct HTTPJSONTests {
    private func text(_ value: HTTPJSON) throws -> String {
        String(decoding: try JSONEncoding.encode(value), as: UTF8.self)
    }

    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (-7, "-7"),
            (.integer(.min), "-9223372036854775808"), (.unsigned(.max), "18446744073709551615"),
            (1.5, "1.5"), (.number(1), "1.0"), (.number(-0.0), "-0.0"), (.number(1e300), "1e+300"),
            (.number(.leastNonzeroMagnitude), "5e-324"),
            (.number(0.1 + 0.2), "0.30000000000000004"),
            ("", "\"\""), ("a/b é 😃 \u{2028}\u{7f}", "\"a/b é 😃 \u{2028}\u{7f}\""),
            ("\"\\\u{8}\t\n\u{c}\r\u{0}\u{1f}", #""\"\\\b\t\n\f\r\u0000\u001f""#),
            ([], "[]"),
            ([1, "a", nil, [true]], #"[1,"a",null,[true]]"#), ([:], "{}"),
            (["b": "foo", "a": 1, "c": ["b": 1.5]], #"{"b":"foo","a":1,"c":{"b":1.5}}"#),
            (["\n": nil], #"{"\n":null}"#),
            // The names are equal strings in Swift, but different bytes.
            (["é": 1, "e\u{301}": 2], "{\"é\":1,\"e\u{301}\":2}"),
        ] as [(HTTPJSON, String)]
    )
    func `a value is written as in RFC 8259, with its members in order`(
        value: HTTPJSON,
        expected: String
    ) throws {
        #expect(try text(value) == expected)
        let body = HTTPBody.json(value)
        #expect(body.contentType == .json && body.bytes == Array(expected.utf8))
    }

    @Test func `variables are converted to JSON`() throws {
        let name: String? = "n"
        let none: Int? = nil
        let value: HTTPJSON = ["a": HTTPJSON(name), "b": HTTPJSON(none), "c": "x\(1)"]
        #expect(try text(value) == #"{"a":"n","b":null,"c":"x1"}"#)
    }

    @Test(
        arguments: [
            (["a": [1, ["b": .number(.nan)]]], "$.a[1].b"), (.number(.infinity), "$"),
            ([[:], ["x": 1, "x": 2]], "$[1]"),
        ] as [(HTTPJSON, String)]
    )
    func `a value that is not JSON is rejected with its path`(value: HTTPJSON, path: String) {
        let error = #expect(throws: JSONEncoding.EncodeError.self) {
            try JSONEncoding.encode(value)
        }
        #expect(error?.path == path)
    }

    @Test func `nesting beyond the depth limit is rejected`() throws {
        var value: HTTPJSON = 1
        for _ in 0..<JSONEncoding.maxDepth { value = [value] }
        #expect(try text(value).utf8.count == 2 * JSONEncoding.maxDepth + 1)
        #expect(throws: JSONEncoding.EncodeError.self) { try JSONEncoding.encode([value]) }
    }

    @Test func `a value that is not JSON is reported when the request is sent`() async {
        let request = HTTPRequest("http://127.0.0.1:1/").json([1, ["a": .number(.nan)]])
        let error = await failure { try await HTTPClient().send(request) }
        guard case .invalidRequest(.body(let reason)) = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("$[1].a"))
    }
}
