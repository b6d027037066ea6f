import ClientSupport
import HTTPClient
import Testing

@Suite struct HTTPParametersTests {
    private func query(
        _ parameters: HTTPParameters,
        _ style: HTTPParameters.Style = HTTPParameters.Style()
    ) -> String {
        HTTPRequest("http://a/").query(parameters, style: style).uri?.query ?? "(none)"
    }

    private func form(_ parameters: HTTPParameters) -> String {
        String(decoding: HTTPBody.form(parameters).bytes, as: UTF8.self)
    }

    /// A type that is JSON, and therefore a parameter.
    enum SortOrder: String, HTTPJSON.Convertible, HTTPParameters.Convertible {
        case descending = "desc"
    }

    /// Parameters and their encoded text.
    struct Row: Sendable {
        let parameters: HTTPParameters
        let text: String

        init(
            _ parameters: HTTPParameters,
            _ text: String
        ) {
            self.parameters = parameters
            self.text = text
        }
    }

    private static let queries: [Row] = [
        Row(["a": 1, "b": "x", "a": 2], "a=1&b=x&a=2"), Row([:], "(none)"),
        Row(["a": [Int]()], "(none)"),
        Row(["q": "a b&c=d+e#f"], "q=a%20b%26c%3Dd%2Be%23f"), Row(["p": "/a?b"], "p=/a?b"),
        Row(["ü": "😀"], "%C3%BC=%F0%9F%98%80"), Row(["t": true, "f": false], "t=1&f=0"),
        Row(["d": 0.1, "e": 1e21, "f": -2.5], "d=0.1&e=1e%2B21&f=-2.5"), Row(["z": 0.0], "z=0.0"),
        Row(["n": String?.none, "m": Int?.some(3)], "n&m=3"), Row(["s": ""], "s="),
        Row(["tags": ["a", "b"]], "tags%5B%5D=a&tags%5B%5D=b"),
        Row(["o": ["y": 2, "x": 1]], "o%5Bx%5D=1&o%5By%5D=2"),
        Row(
            ["o": HTTPParameters([("y", 2), ("x", [1, 2])])],
            "o%5By%5D=2&o%5Bx%5D%5B%5D=1&o%5Bx%5D%5B%5D=2"
        ),
        Row(
            ["big": UInt64.max, "small": Int8(-3), "f": Float(0.1)],
            "big=18446744073709551615&small=-3&f=0.1"
        ),
        Row(
            ["v": HTTPParameters.ParameterValue.array([1, "x", true, 2.5, nil])],
            "v%5B%5D=1&v%5B%5D=x&v%5B%5D=1&v%5B%5D=2.5&v%5B%5D"
        ),
        Row(
            ["day": HTTPParameters.ParameterValue.date(secondsSince1970: 784_111_777.9)],
            "day=1994-11-06T08%3A49%3A37Z"
        ),
        Row(
            ["day": HTTPParameters.ParameterValue.date(secondsSince1970: -1)],
            "day=1969-12-31T23%3A59%3A59Z"
        ),
        Row(
            ["j": ["y": [2, nil], "x": "a", "u": .unsigned(.max), "b": false] as HTTPJSON],
            "j%5By%5D%5B%5D=2&j%5By%5D%5B%5D&j%5Bx%5D=a&j%5Bu%5D=18446744073709551615&j%5Bb%5D=0"
        ),
        Row(["order": SortOrder.descending], "order=desc"),
        Row(["sub": "abc".dropFirst()], "sub=bc"), Row(["%41": "%42"], "%2541=%2542"),
    ]

    @Test(arguments: queries)
    func `parameters are encoded as a query`(row: Row) {
        #expect(query(row.parameters) == row.text)
    }

    @Test(arguments: [
        (HTTPParameters.Style(array: .repeated), "a=1&a=x%2Cy&t=1"),
        (HTTPParameters.Style(array: .indices), "a%5B0%5D=1&a%5B1%5D=x%2Cy&t=1"),
        (HTTPParameters.Style(array: .comma), "a=1,x%2Cy&t=1"),
        (HTTPParameters.Style(array: .repeated, bool: .literals), "a=1&a=x%2Cy&t=true"),
    ])
    func `arrays and Booleans are encoded in the chosen style`(
        style: HTTPParameters.Style,
        expected: String
    ) {
        #expect(query(["a": ["1", "x,y"], "t": true], style) == expected)
    }

    @Test(arguments: [
        (HTTPParameters.Style.DateStyle.secondsSince1970, 1.5, "d=1.5"),
        (.secondsSince1970, 784_111_777, "d=784111777"), (.millisecondsSince1970, 1.0004, "d=1000"),
        (.millisecondsSince1970, -1.5, "d=-1500"), (.iso8601, 0, "d=1970-01-01T00%3A00%3A00Z"),
        (.iso8601, 253_402_300_799.9, "d=9999-12-31T23%3A59%3A59Z"),
    ])
    func `dates are encoded in the chosen style`(
        date: HTTPParameters.Style.DateStyle,
        seconds: Double,
        expected: String
    ) {
        let value = HTTPParameters.ParameterValue.date(secondsSince1970: seconds)
        #expect(query(["d": value], HTTPParameters.Style(date: date)) == expected)
    }

    /// A parameter that has no text form.
    struct InvalidParameter: Sendable {
        let parameters: HTTPParameters
        let name: String
        let reason: HTTPParameters.EncodingError

        init(
            _ parameters: HTTPParameters,
            _ name: String,
            _ reason: HTTPParameters.EncodingError
        ) {
            self.parameters = parameters
            self.name = name
            self.reason = reason
        }
    }

    private static let misfits: [InvalidParameter] = [
        InvalidParameter(["a": Double.nan], "a", HTTPParameters.EncodingError.notANumber),
        InvalidParameter(["a": -Double.infinity], "a", .infinite),
        InvalidParameter(["a": -0.0], "a", .negativeZero),
        InvalidParameter(["o": ["b": [1.0, Double.nan]]], "o[b][]", .notANumber),
        InvalidParameter(
            ["d": HTTPParameters.ParameterValue.date(secondsSince1970: 1e300)],
            "d",
            .dateOutOfRange
        ),
        InvalidParameter(
            ["d": HTTPParameters.ParameterValue.date(secondsSince1970: .nan)],
            "d",
            .dateOutOfRange
        ),
    ]

    @Test(arguments: misfits)
    func `a value without a text form is rejected when the request is sent`(
        row: InvalidParameter
    ) async {
        let request = HTTPRequest("http://127.0.0.1:1/").query(row.parameters).query("b", 1)
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .invalidRequest(.parameter(name: row.name, row.reason)))
        #expect(error?.blame == .caller)
        // Replacing the URL or the query removes the error.
        var other = request
        other.query = [HTTPQueryItem("b", "2")]
        #expect(other.url == "http://127.0.0.1:1/?b=2")
        #expect((try? other.curlDescription(in: HTTPClient())) != nil)
        #expect((try? request.url("http://b/").curlDescription(in: HTTPClient())) != nil)
        #expect((try? request.curlDescription(in: HTTPClient())) == nil)
    }

    @Test func `a comma-joined array accepts only plain values`() async {
        let style = HTTPParameters.Style(array: .comma)
        let request = HTTPRequest("http://127.0.0.1:1/").query(["a": [[1]]], style: style)
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .invalidRequest(.parameter(name: "a", .nestedInCommaList)))
        #expect(query(["a": [[1], [2, 3]]]) == "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2&a%5B%5D%5B%5D=3")
    }

    private static let forms: [Row] = [
        Row(["a": "x y&z", "b": [1, 2], "t": true], "a=x+y%26z&b%5B%5D=1&b%5B%5D=2&t=1"),
        Row(["n": String?.none, "m": "~/?*-._"], "n=&m=%7E%2F%3F*-._"), Row([:], ""),
        Row(["+": "+"], "%2B=%2B"),
    ]

    @Test(arguments: forms)
    func `parameters are encoded as a form`(row: Row) {
        #expect(form(row.parameters) == row.text)
        #expect(HTTPBody.form(row.parameters).contentType == "application/x-www-form-urlencoded")
    }

    @Test func `an invalid form is rejected when the request is sent`() async {
        let body = HTTPBody.form(["a": Double.nan] as HTTPParameters)
        let request = HTTPRequest("http://127.0.0.1:1/", method: .post, body: body)
        let error = await failure { try await HTTPClient().send(request) }
        guard case .invalidRequest(.parameter(name: "a", _)) = error?.kind else {
            Issue.record("\(error?.kind as Any)")
            return
        }
    }

    @Test(arguments: [
        0.1, 1.0 / 3, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 123456789.123456789, 1e15,
        1e16, 4e-7,
    ])
    func `a number keeps its value`(number: Double) throws {
        let request = HTTPRequest("http://a/").query("d", number)
        let text = try #require(request.query.first?.value)
        #expect(Double(text) == number)
    }

    @Test func `parameters are an ordered collection with names`() {
        var parameters: HTTPParameters = ["a": 1, "b": 2, "a": 3]
        #expect(parameters["a"] == 1 && parameters["c"] == nil && parameters.count == 3)
        parameters["a"] = "x"
        #expect(parameters == ["a": "x", "b": 2])
        parameters["b"] = nil
        parameters["c"] = [1, 2]
        parameters.append("a", false)
        #expect(parameters == ["a": "x", "c": [1, 2], "a": false])
        parameters.append(contentsOf: ["d": 1])
        #expect(parameters.map(\.name) == ["a", "c", "a", "d"])
        let name = "variable"
        let dictionary: [String: any HTTPParameters.Convertible] = ["b": name, "a": 1]
        #expect(HTTPParameters(dictionary) == ["a": 1, "b": "variable"])
    }

    @Test func `values can be written as literals`() {
        let value: HTTPParameters.ParameterValue = [
            "s": "x", "i": 1, "d": 1.5, "b": true, "n": nil, "a": [1, "y"], "t": "\(1)+\(2)",
        ]
        #expect(
            value
                == .object([
                    "s": "x", "i": 1, "d": 1.5, "b": true, "n": HTTPParameters.ParameterValue.null,
                    "a": HTTPParameters.ParameterValue.array([.int(1), .string("y")]), "t": "1+2",
                ])
        )
    }

    @Test(
        arguments: [
            (
                "a=1&b&c=&=d&&a=2",
                [("a", "1"), ("b", nil), ("c", ""), ("", "d"), ("", nil), ("a", "2")]
            ),
            ("q=%C3%BC%20x&%41=b%3Dc=d", [("q", "ü x"), ("A", "b=c=d")]), ("x=a+b", [("x", "a+b")]),
        ] as [(String, [(String, String?)])]
    )
    func `a query is parsed into items and keeps its spelling`(
        query: String,
        items: [(String, String?)]
    ) {
        var request = HTTPRequest("http://a/?\(query)#f")
        #expect(request.query.map(\.name) == items.map(\.0))
        #expect(request.query.map(\.value) == items.map(\.1))
        request.query = request.query
        #expect(request.url == "http://a/?\(query)#f")
        request.query.append(HTTPQueryItem("n", "#"))
        #expect(request.url == "http://a/?\(query)&n=%23#f")
        #expect(HTTPQueryItem(encoded: "a=b%20c&d#e").description == "a=b%20c%26d%23e")
    }
}
