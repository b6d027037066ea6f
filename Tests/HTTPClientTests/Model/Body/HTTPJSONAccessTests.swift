import HTTPClient
import Testing

@Suite struct HTTPJSONAccessTests {
    private let json: HTTPJSON = [
        "user": ["name": "Ada", "age": 36, "tags": ["a", nil]], "user2": nil, "x": 1.5,
    ]

    @Test func `parts of a JSON value are accessed by name and index`() {
        #expect(json["user"]["name"].string == "Ada")
        #expect(json["user"]["tags"][0].string == "a")
        #expect(json["user"].members?.map(\.name) == ["name", "age", "tags"])
        #expect(json["user"]["tags"].array?.count == 2)
    }

    @Test func `missing parts are null, without an error`() {
        #expect(json["nobody"]["name"][3]["x"] == .null)
        #expect(json["user"]["tags"][2].isNull)
        #expect(json["user"]["tags"][-1].isNull && json["user"]["tags"][.min].isNull)
        #expect(json[0].isNull && json["x"]["y"].isNull && HTTPJSON.null["a"].isNull)
        #expect(json.member("user2") == .null && json.member("user3") == nil)
        #expect(HTTPJSON.string("a").member("a") == nil)
    }

    @Test func `the last of several members with one name counts, compared byte by byte`() throws {
        let twice = try HTTPJSON(parsing: "{\"é\":1,\"e\u{301}\":2,\"é\":3}")
        #expect(twice["é"] == 3 && twice["e\u{301}"] == 2)
        #expect(twice.members?.count == 3)
    }

    @Test(
        arguments: [
            (7, 7, 7, 7), (-7, -7, nil, -7), (.unsigned(.max), nil, .max, 0x1p64),
            (.number(7), 7, 7, 7), (.number(-0.0), 0, 0, 0), (1.5, nil, nil, 1.5),
            (.number(1e300), nil, nil, 1e300), (.number(.nan), nil, nil, nil),
            ("7", nil, nil, nil), (true, nil, nil, nil), (nil, nil, nil, nil),
        ] as [(HTTPJSON, Int?, UInt?, Double?)]
    )
    func `a number is converted only if it is exact`(
        json: HTTPJSON,
        int: Int?,
        uint: UInt?,
        double: Double?
    ) {
        #expect(json.int == int && json.uint == uint)
        if case .number(let number) = json, number.isNaN {
            #expect(json.double?.isNaN == true)
        } else {
            #expect(json.double == double)
        }
    }

    @Test func `a value of another kind is nil`() {
        let values: [HTTPJSON] = [nil, true, 1, 1.5, "s", [], [:]]
        #expect(values.map { $0.bool != nil } == [false, true, false, false, false, false, false])
        #expect(values.map { $0.double != nil } == [false, false, true, true, false, false, false])
        #expect(
            values.map { $0.string != nil } == [false, false, false, false, true, false, false]
        )
        #expect(values.map { $0.array != nil } == [false, false, false, false, false, true, false])
        #expect(
            values.map { $0.members != nil } == [false, false, false, false, false, false, true]
        )
        #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
    }

    @Test func `a value is described as JSON text`() {
        #expect("\(json["user"])" == #"{"name":"Ada","age":36,"tags":["a",null]}"#)
        #expect("\(HTTPJSON.array([.number(.nan)]))".contains("$[0]"))
    }
}
