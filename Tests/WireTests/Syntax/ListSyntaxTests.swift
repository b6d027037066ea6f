import Testing
import Wire

@Suite struct ListSyntaxTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            ("", []), ("a", ["a"]), (" a ,\tb", ["a", "b"]), (",a,,b,", ["a", "b"]),
            ("a=\"b,c\", d", ["a=\"b,c\"", "d"]), ("\"a\\\",b\",c", ["\"a\\\",b\"", "c"]),
            ("\"open, a", ["\"open, a"]), ("a\\,b", ["a\\", "b"]),
        ]
    )
    func `commas outside quotes separate elements`(text: String, elements: [String]) {
        #expect(ListSyntax.elements(of: text) == elements)
    }

    @Test(.tags(.rfc9110)) func `semicolons separate parameters`() {
        let value = ListSyntax.parameters(of: " text/html ; Charset=\"a;\\\"b\" ;x;;y = z=1")
        #expect(value.value == "text/html")
        #expect(value.parameters.map(\.name) == ["Charset", "x", "y"])
        #expect(value["charset"] == "a;\"b")
        #expect(value["x"] == "" && value["y"] == "z=1" && value["z"] == nil)
        #expect(ListSyntax.parameters(of: "").value == "")
    }

    @Test(arguments: [
        ("\"\"", ""), ("\"", "\""), ("\"a\\\\\"", "a\\"), ("\"a\\\"", "a\\"), ("a", "a"),
    ])
    func `matching quotes are removed`(text: String, plain: String) {
        #expect(ListSyntax.unquoted(text) == plain)
    }
}
