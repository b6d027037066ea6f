import Testing
import fetch

@Suite struct FormPartTests {
    @Test(
        arguments: [
            ("a=b", FormPart(.text, name: "a", value: "b")),
            ("a=", FormPart(.text, name: "a", value: "")),
            ("a=b=c;d", FormPart(.text, name: "a", value: "b=c;d")),
            ("a=b;type=text/x", FormPart(.text, name: "a", value: "b", contentType: "text/x")),
            (#"a="b;type=x\"\\""#, FormPart(.text, name: "a", value: #"b;type=x"\"#)),
            ("a=@f.txt", FormPart(.file, name: "a", value: "f.txt")),
            (#"a=@"f,g""#, FormPart(.file, name: "a", value: "f,g")),
            ("a=<f", FormPart(.content, name: "a", value: "f")),
            (
                "a=@f;type=text/x;charset=utf-8;filename=g",
                FormPart(
                    .file,
                    name: "a",
                    value: "f",
                    contentType: "text/x;charset=utf-8",
                    fileName: "g"
                )
            ),
            (
                #"a=@f; filename="g;h"; type=x/y"#,
                FormPart(.file, name: "a", value: "f", contentType: "x/y", fileName: "g;h")
            ),
        ]
    )
    func `a form field is parsed into its parts`(text: String, expected: FormPart) throws {
        #expect(try FormPart(text) == expected)
    }

    @Test(arguments: ["a", "", "a=@f,g", "a=@f;headers=X: y", "a=<f;encoder=8bit"])
    func `an invalid form field is rejected`(text: String) {
        #expect(throws: FetchError.self) { try FormPart(text) }
    }

    @Test func `a literal form field is text even if it begins with @`() throws {
        #expect(
            try FormPart(literal: "a=@f;type=x") == FormPart(.text, name: "a", value: "@f;type=x")
        )
        #expect(throws: FetchError.self) { try FormPart(literal: "a") }
    }
}
