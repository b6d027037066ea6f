import ClientSupport
import HTTPClient
import Testing

private struct Search: Encodable {
    enum Kind: String, Encodable {
        case poi, road
    }

    struct Area: Encodable {
        var west: Double
        var tags: [String]
    }

    var text = "fish & chips"
    var kind = Kind.poi
    var page: Int?
    var open = true
    var tags: [String?] = ["b", nil, "a"]
    var area: Area?
    var ratio: Float = 0.1
    var huge = UInt64.max
}

/// A value encoded by a closure.
private struct Scripted: Encodable {
    var script: (any Encoder) throws -> Void

    init(_ script: @escaping (any Encoder) throws -> Void) {
        self.script = script
    }

    func encode(to encoder: any Encoder) throws {
        try script(encoder)
    }
}

private enum Key: String, CodingKey {
    case b, a, c
}

/// A value that defines its own text, although it is also `Encodable`.
private struct Degrees: Encodable, HTTPParameters.Convertible {
    var value: Int
    var parameterValue: HTTPParameters.ParameterValue { .string("\(value)deg") }
}

/// A value that encodes itself as its own member.
private final class Loop: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self, forKey: .a)
    }
}

@Suite struct ParameterEncoderTests {
    private func query(
        _ value: some Encodable,
        _ style: HTTPParameters.Style = HTTPParameters.Style(array: .repeated)
    ) throws -> String? {
        let request = HTTPRequest("http://a/").query(encoding: value, style: style)
        let parameters = try HTTPParameters(encoding: value)
        #expect(HTTPRequest("http://a/").query(parameters, style: style).url == request.url)
        return request.uri?.query
    }

    @Test func `members keep their order, and nil is omitted`() throws {
        #expect(
            try query(Search())
                == "text=fish%20%26%20chips&kind=poi&open=1&tags=b&tags=a&ratio=0.1"
                + "&huge=18446744073709551615"
        )
        let area = Search.Area(west: -1.5, tags: [])
        #expect(
            try query(Search(page: 2, tags: [], area: area))?.contains(
                "&page=2&open=1&area%5Bwest%5D=-1.5&r"
            )
                == true
        )
    }

    @Test(
        arguments: [
            (HTTPParameters.Style(), "o=1&t%5B%5D=a&t%5B%5D=b"),
            (HTTPParameters.Style(array: .indices), "o=1&t%5B0%5D=a&t%5B1%5D=b"),
            (HTTPParameters.Style(array: .comma, bool: .literals), "o=true&t=a,b"),
        ]
    )
    func `the style determines how values are spelled`(
        style: HTTPParameters.Style,
        text: String
    ) throws {
        struct Value: Encodable {
            var o = true
            var t = ["a", "b"]
        }
        #expect(try query(Value(), style) == text)
        let form = HTTPRequest("http://a/", method: .post).form(encoding: Value(), style: style)
        #expect(form.body.contentType == "application/x-www-form-urlencoded")
        #expect(form.body.bytes == HTTPBody.form(encoding: Value(), style: style).bytes)
        #expect(String(decoding: form.body.bytes, as: UTF8.self) == text)
    }

    @Test func `dictionaries are sorted by name at every depth`() throws {
        struct Part: Encodable { var x: Int? }
        let value = ["b": ["z": Part(x: 1), "y": Part(x: nil)], "a": ["k": Part(x: 2)]]
        #expect(try query(value) == "a%5Bk%5D%5Bx%5D=2&b%5Bz%5D%5Bx%5D=1")
        #expect(try query(["b": 1, "a": nil, "c": 3]) == "b=1&c=3")
        #expect(try query([2: "x", 1: "y"]) == "1=y&2=x")
    }

    @Test func `a value with its own parameter form uses it`() throws {
        struct Value: Encodable {
            var angle = Degrees(value: 7)
            var more = [Degrees(value: 1)]
            var none: Degrees?
        }
        #expect(try query(Value()) == "angle=7deg&more=1deg")
    }

    @Test func `every kind of encoding container is supported`() throws {
        let value = Scripted { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .c)
            try outer.encodeNil(forKey: .a)
            var list = outer.nestedUnkeyedContainer(forKey: .a)
            try list.encode(1)
            try list.encodeNil()
            var part = list.nestedContainer(keyedBy: Key.self)
            try part.encode(true, forKey: .b)
            var deep = list.nestedUnkeyedContainer()
            try deep.encode(contentsOf: ["x", "y"])
            #expect(list.count == 3 && list.codingPath.map(\.stringValue) == ["a"])
            try 5.encode(to: list.superEncoder())
            try inner.encode(2, forKey: .b)
            try inner.encode(3, forKey: .b)
            try "s".encode(to: outer.superEncoder())
            try "t".encode(to: outer.superEncoder(forKey: .b))
        }
        #expect(
            try HTTPParameters(encoding: value)
                == [
                    "c": ["b": 3] as HTTPParameters.ParameterValue,
                    "a": [1, ["b": true], ["x", "y"], 5] as HTTPParameters.ParameterValue,
                    "super": "s", "b": "t",
                ]
        )
        let wrapped = Scripted { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(["a": 1])
        }
        #expect(try query(wrapped) == "a=1")
        #expect(
            try HTTPParameters(encoding: Scripted { _ = $0.container(keyedBy: Key.self) }) == [:]
        )
    }

    private func errorKind(_ value: some Encodable) async -> HTTPError.Kind? {
        let kind = await failure { try HTTPParameters(encoding: value) }?.kind
        let client = HTTPClient()
        let request = HTTPRequest("http://127.0.0.1:1/")
        #expect(
            await failure { try await client.send(request.query(encoding: value)) }?.kind == kind
        )
        #expect(
            await failure { try await client.send(request.form(encoding: value)) }?.kind == kind
        )
        return kind
    }

    @Test func `a value without names is rejected`() async {
        let refused = HTTPError.Kind.invalidRequest(.parameter(name: "", .notAnObject))
        #expect(await errorKind([1, 2]) == refused)
        #expect(await errorKind("text") == refused)
        #expect(await errorKind(Search?.none) == refused)
        #expect(await errorKind(Scripted { _ in }) == refused)
    }

    @Test func `an error thrown by a value is reported with its path`() async {
        struct Broken: Error {}
        struct Outer: Encodable {
            var list: [Scripted]
        }
        let invalid = Outer(list: [
            Scripted { encoder in
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath + [Key.b],
                    debugDescription: "no"
                )
                throw EncodingError.invalidValue(0, context)
            }
        ])
        #expect(
            await errorKind(invalid)
                == .invalidRequest(.parameter(name: "list[0][b]", .thrown(description: "no")))
        )
        #expect(
            await errorKind(Scripted { _ in throw Broken() })
                == .invalidRequest(.parameter(name: "", .thrown(description: "Broken()")))
        )
    }

    @Test func `recursive values stop at the depth limit`() async {
        #expect(
            await errorKind(Loop())
                == .invalidRequest(.parameter(name: "a[a][a]", .tooDeep(limit: 512)))
        )
    }

    @Test func `a value without a text form is rejected when sent`() async throws {
        let request = HTTPRequest("http://127.0.0.1:1/").query(encoding: ["x": ["y": Double.nan]])
        let error = await failure { try await HTTPClient().send(request) }
        #expect(error?.kind == .invalidRequest(.parameter(name: "x[y]", .notANumber)))
    }
}
