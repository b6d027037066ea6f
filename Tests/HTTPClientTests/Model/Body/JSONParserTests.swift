import ClientSupport
import HTTPClient
import Support
import Testing

/// Tests the inputs on which JSON parsers are known to disagree.
@Suite struct JSONParserTests {
    /// Returns the error of text that is not JSON.
    private func parsingError(_ parse: () throws -> HTTPJSON) -> HTTPJSON.ParsingError? {
        guard case .json(let parsingError) = invalidReason(parse) else { return nil }
        return parsingError
    }

    typealias Reason = HTTPJSON.ParsingError.Reason

    @Test(
        arguments: [
            ("null", nil), ("true", true), ("false", false), (" \t\r\n1\n", 1),
            ("[]", []), ("[ ]", []), ("{}", [:]), ("{ \n}", [:]), ("[[]]", [[]]),
            ("[1,\n2 , 3]", [1, 2, 3]), ("[null]", [nil]), ("[[],{}]", [[], [:]]),
            (#"{"":0}"#, ["": 0]), (#"{"a":[{"b":{}}] , "c":-1}"#, ["a": [["b": [:]]], "c": -1]),
            // Duplicate names are all kept, so that the reader can choose.
            (#"{"a":1,"b":2,"a":3}"#, ["a": 1, "b": 2, "a": 3]),
        ] as [(String, HTTPJSON)]
    )
    func `a JSON value is parsed`(text: String, value: HTTPJSON) throws {
        #expect(try HTTPJSON(parsing: text) == value)
        #expect(try HTTPJSON(parsing: Array(text.utf8)) == value)
        #expect(try HTTPJSON(parsing: Array(text.utf8).span) == value)
    }

    @Test(
        arguments: [
            ("0", .integer(0)), ("-1", .integer(-1)), ("120", .integer(120)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .unsigned(9_223_372_036_854_775_808)),
            ("18446744073709551615", .unsigned(.max)),
            ("18446744073709551616", .number(18_446_744_073_709_551_616)),
            ("-9223372036854775809", .number(-9_223_372_036_854_775_808)),
            ("123456789012345678901234567890", .number(0x1.8ee90ff6c373ep96)),
            ("1.0", .number(1)), ("0.1", .number(0.1)), ("1e3", .number(1000)), ("0e0", .number(0)),
            ("1E+2", .number(100)), ("1.5e-2", .number(0.015)), ("20e01", .number(200)),
            ("5e-324", .number(.leastNonzeroMagnitude)), ("1e-400", .number(0)),
            ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
            ("0.\(String(repeating: "0", count: 400))1e401", .number(1)),
        ] as [(String, HTTPJSON)]
    )
    func `a number is parsed without loss where possible`(text: String, value: HTTPJSON) throws {
        #expect(try HTTPJSON(parsing: text) == value)
        #expect(try HTTPJSON(parsing: "[\(text) ]") == [value])
    }

    @Test func `a parsed zero keeps its sign`() throws {
        for text in ["-0", "-0.0", "-0e1"] {
            guard case .number(let zero) = try HTTPJSON(parsing: text) else {
                Issue.record("\(text) is no number")
                continue
            }
            #expect(zero == 0 && zero.sign == .minus)
        }
    }

    @Test(
        arguments: [
            (#""""#, ""), (#""a b""#, "a b"), (#""é😃\#u{7f}""#, "é😃\u{7f}"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u0041\u00e9\u00E9\u2028""#, "Aéé\u{2028}"), (#""\u0000""#, "\0"),
            (#""\ud83d\ude00 \uD834\uDd1e""#, "😀 𝄞"), (#""x\u0079z""#, "xyz"),
            (#""\udbff\udffd \uFFFD \uF8FF""#, "\u{10FFFD} \u{FFFD} \u{F8FF}"),
            (#""\\u0041 \u005C""#, #"\u0041 \"#), (#""e\u0301""#, "e\u{301}"),
        ]
    )
    func `a string is parsed with its escapes`(text: String, value: String) throws {
        let read = try HTTPJSON(parsing: text).string
        // Compared byte by byte, because Swift compares strings by canonical equivalence.
        #expect(read.map { Array($0.utf8) } == Array(value.utf8))
        #expect(try HTTPJSON(parsing: "{\(text):0}").members?.first?.name == value)
    }

    @Test func `escaped noncharacters are parsed`() throws {
        let read = try HTTPJSON(parsing: #""\uFFFF\udbff\udfff""#).string
        #expect(read.map { $0.unicodeScalars.map(\.value) } == [0xFFFF, 0x10FFFF])
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("[", .unexpectedEnd, 1),
            ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1),
            (#"{"a""#, .unexpectedEnd, 4), (#"{"a":"#, .unexpectedEnd, 5),
            (#"{"a":1"#, .unexpectedEnd, 6), (#"{"a":1,"#, .unexpectedEnd, 7),
            ("tru", .unexpectedEnd, 3), ("-", .unexpectedEnd, 1), ("1.", .unexpectedEnd, 2),
            ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3), (#"""#, .unexpectedEnd, 1),
            (#""a\"#, .unexpectedEnd, 3), (#""\u00"#, .unexpectedEnd, 5),
            ("[1,]", .unexpectedByte(UInt8(ascii: "]")), 3),
            ("[,1]", .unexpectedByte(UInt8(ascii: ",")), 1),
            ("[1,,2]", .unexpectedByte(UInt8(ascii: ",")), 3),
            ("[1 2]", .unexpectedByte(UInt8(ascii: "2")), 3),
            ("[1}", .unexpectedByte(UInt8(ascii: "}")), 2),
            ("{]", .unexpectedByte(UInt8(ascii: "]")), 1),
            (#"{"a":1,}"#, .unexpectedByte(UInt8(ascii: "}")), 7),
            (#"{"a" 1}"#, .unexpectedByte(UInt8(ascii: "1")), 5),
            (#"{"a":}"#, .unexpectedByte(UInt8(ascii: "}")), 5),
            (#"{"a",1}"#, .unexpectedByte(UInt8(ascii: ",")), 4),
            ("{a:1}", .unexpectedByte(UInt8(ascii: "a")), 1),
            ("{1:1}", .unexpectedByte(UInt8(ascii: "1")), 1),
            ("{'a':1}", .unexpectedByte(UInt8(ascii: "'")), 1),
            ("'a'", .unexpectedByte(UInt8(ascii: "'")), 0),
            ("]", .unexpectedByte(UInt8(ascii: "]")), 0),
            ("True", .unexpectedByte(UInt8(ascii: "T")), 0),
            ("nulL", .unexpectedByte(UInt8(ascii: "L")), 3),
            ("NaN", .unexpectedByte(UInt8(ascii: "N")), 0),
            ("Infinity", .unexpectedByte(UInt8(ascii: "I")), 0),
            ("-Infinity", .malformedNumber, 1), ("+1", .unexpectedByte(UInt8(ascii: "+")), 0),
            (".5", .unexpectedByte(UInt8(ascii: ".")), 0), ("01", .malformedNumber, 0),
            ("-01", .malformedNumber, 0), ("00", .malformedNumber, 0),
            ("1.e1", .malformedNumber, 2),
            ("[1.]", .malformedNumber, 3), ("1ee2", .malformedNumber, 2),
            ("--1", .malformedNumber, 1),
            ("1e+-2", .malformedNumber, 3), ("0x1", .trailingBytes, 1),
            ("1_0", .trailingBytes, 1),
            ("1e400", .numberTooLarge, 0), ("[-1e400]", .numberTooLarge, 1),
            ("1 2", .trailingBytes, 2), ("[]]", .trailingBytes, 2), ("{}#", .trailingBytes, 2),
            ("[] // why", .trailingBytes, 3), ("1\0", .trailingBytes, 1),
            ("/**/1", .unexpectedByte(UInt8(ascii: "/")), 0),
            ("\u{feff}1", .byteOrderMark, 0), ("[\u{feff}]", .unexpectedByte(0xEF), 1),
            ("\u{c}1", .unexpectedByte(0x0C), 0), ("\u{a0}1", .unexpectedByte(0xC2), 0),
            ("\"a\nb\"", .controlCharacter(0x0A), 2), ("\"\0\"", .controlCharacter(0), 1),
            ("\"\t\"", .controlCharacter(9), 1), (#""\x41""#, .invalidEscape, 1),
            (#""a\'""#, .invalidEscape, 2), (#""\u00g0""#, .invalidEscape, 1),
            (#""\U0041""#, .invalidEscape, 1), (#""\u+041""#, .invalidEscape, 1),
            (#""\u００41""#, .invalidEscape, 1),
            (#""\ud800""#, .loneSurrogate, 1), (#""\udc00\ud800""#, .loneSurrogate, 1),
            (#""\ud800\ud800""#, .loneSurrogate, 1), (#""\ud800\u0041""#, .loneSurrogate, 1),
            (#""\ud800\n""#, .loneSurrogate, 1), (#""\ud800x""#, .loneSurrogate, 1),
        ] as [(String, Reason, Int)]
    )
    func `text that is not JSON is rejected with reason and offset`(
        text: String,
        reason: Reason,
        at: Int
    ) {
        let found = parsingError { try HTTPJSON(parsing: text) }
        #expect(found?.reason == reason)
        #expect(found?.offset == at)
    }

    @Test(
        arguments: [
            ([0xFF], 1), ([0xC0, 0x80], 1), ([0xE2, 0x82], 1), ([0xED, 0xA0, 0x80], 1),
            ([0xF4, 0x90, 0x80, 0x80], 1), ([0x61, 0x80], 2), ([0xC3], 1),
        ] as [([UInt8], Int)]
    )
    func `bytes that are not UTF-8 are rejected`(bytes: [UInt8], at: Int) {
        let quote = UInt8(ascii: "\"")
        let found = parsingError { try HTTPJSON(parsing: [quote] + bytes + [quote]) }
        #expect(found?.reason == .invalidUTF8)
        #expect(found?.offset == at)
        #expect(parsingError { try HTTPJSON(parsing: bytes) } != nil)
    }

    @Test(arguments: ["[\u{0}1\u{0}]", "\u{0}[\u{0}]"])
    func `other encodings are rejected`(text: String) {
        #expect(parsingError { try HTTPJSON(parsing: text) } != nil)
    }

    @Test func `truncated text is rejected at every length`() throws {
        let whole = Array(#"{"a":[1.5e+3,true,null,"\ud83d\ude00é"],"b":{"c":-0}}"#.utf8)
        _ = try HTTPJSON(parsing: whole)
        for count in 0..<whole.count {
            #expect(parsingError { try HTTPJSON(parsing: Array(whole[..<count])) } != nil)
        }
    }

    @Test(
        arguments: [
            (#"{"a":[1,{"b":x}]}"#, "$.a[1].b"), ("[1,2,x]", "$[2]"), ("x", "$"),
            (#"{"a":1,b}"#, "$"), (#"{"a":{"b":1"#, "$.a"), (#"[{"a":0},{"b":01}]"#, "$[1].b"),
        ]
    )
    func `a parse error has the path of the value`(text: String, path: String) {
        let found = parsingError { try HTTPJSON(parsing: text) }
        #expect(found?.path == path)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `nesting beyond the depth limit is rejected`(start: String, end: String) throws {
        func nested(_ levels: Int) -> String {
            String(repeating: start, count: levels) + (start == "[" ? "" : "1")
                + String(repeating: end, count: levels)
        }
        _ = try HTTPJSON(parsing: nested(128))
        let found = parsingError { try HTTPJSON(parsing: nested(129)) }
        #expect(found?.reason == .tooDeep(limit: 128))
        #expect(found?.offset == 128 * start.utf8.count)
        _ = try HTTPJSON(parsing: nested(512), maxDepth: .max)
        #expect(parsingError { try HTTPJSON(parsing: nested(513), maxDepth: .max) } != nil)
        #expect(try HTTPJSON(parsing: "7", maxDepth: 0) == 7)
        #expect(parsingError { try HTTPJSON(parsing: nested(1), maxDepth: 0) } != nil)
        let flood = String(repeating: start, count: 100_000)
        #expect(parsingError { try HTTPJSON(parsing: flood, maxDepth: .max) } != nil)
    }

    @Test(arguments: 0..<UInt64(200))
    func `a written value is parsed back unchanged`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let value = Self.value(depth: 5, &random)
        let bytes = try JSONEncoding.encode(value)
        let read = try HTTPJSON(parsing: bytes)
        #expect(read == value)
        #expect(try JSONEncoding.encode(read) == bytes)
    }

    private static func value(depth: Int, _ random: inout SeededGenerator) -> HTTPJSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: .min ... .max, using: &random))
        case 3: return .unsigned(.random(in: UInt(Int.max) + 1 ... .max, using: &random))
        case 4:
            let number = Double(bitPattern: random.next())
            return .number(number.isFinite ? number : 0.5)
        case 5: return .string(text(&random))
        case 6, 7:
            let count = Int.random(in: 0...4, using: &random)
            return .array((0..<count).map { _ in value(depth: depth - 1, &random) })
        default:
            let count = Int.random(in: 0...4, using: &random)
            return .object(
                (0..<count).map { index in
                    HTTPJSON.Member("\(index)\(text(&random))", value(depth: depth - 1, &random))
                }
            )
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let most: UInt32 = Bool.random(using: &random) ? 0x7F : 0x10FFFF
            text.append(UnicodeScalar(UInt32.random(in: 0...most, using: &random)) ?? "\u{1F600}")
        }
        return String(text)
    }
}
