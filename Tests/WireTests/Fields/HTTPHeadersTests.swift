import Testing
import Wire

@Suite struct HTTPHeadersTests {
    private func lines(_ headers: HTTPHeaders) -> [String] {
        headers.map { "\($0.name): \($0.value)" }
    }

    @Test func `field order, case and repeats are kept`() {
        let headers: HTTPHeaders = ["b": "1", "A": "2", "B": "3", .setCookie: "x"]
        #expect(lines(headers) == ["b: 1", "A: 2", "B: 3", "Set-Cookie: x"])
        #expect(headers["B"] == "1")
        #expect(headers.values("b") == ["1", "3"])
        #expect(headers.combined("b") == "1, 3")
        #expect(headers.contains(.setCookie) && headers.contains("SET-cookie"))
        #expect(!headers.contains(.cookie))
        #expect(headers[.cookie] == nil && headers.combined(.cookie) == nil)
        #expect(headers.values(.cookie) == [])
    }

    @Test func `setting a field replaces the first of its name and removes the others`() {
        var headers: HTTPHeaders = ["a": "1", "b": "2", "A": "3", "c": "4"]
        headers["A"] = "5"
        #expect(lines(headers) == ["A: 5", "b: 2", "c: 4"])
        headers["d"] = "6"
        #expect(lines(headers) == ["A: 5", "b: 2", "c: 4", "d: 6"])
        headers["b"] = nil
        headers["zz"] = nil
        #expect(lines(headers) == ["A: 5", "c: 4", "d: 6"])
        headers.remove("a")
        headers.remove("c")
        headers.remove("d")
        #expect(headers.isEmpty && headers == HTTPHeaders())
    }

    @Test func `copies do not affect each other`() {
        var first: HTTPHeaders = ["a": "1"]
        let second = first
        first.append("b", "2")
        first["a"] = "9"
        var third = first
        third.remove("b")
        #expect(lines(first) == ["a: 9", "b: 2"])
        #expect(lines(second) == ["a: 1"])
        #expect(lines(third) == ["a: 9"])
    }

    @Test func `changing received fields does not change the head`() throws {
        let text = Array("HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\n".utf8)
        var decoder = ResponseHeadDecoder()
        var head = try #require(try decoder.decode(text.span).head)
        let before = head
        head.headers["A"] = "x"
        head.headers.append("C", "3")
        #expect(lines(head.headers) == ["A: x", "B: 2", "C: 3"])
        #expect(head.rawBytes == text)
        #expect(lines(before.headers) == ["A: 1", "B: 2"])
    }

    @Test func `merging replaces fields of the same name in place`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4"]
        headers.merge(["D": "5", "a": "6", "A": "7", "d": "8"])
        #expect(lines(headers) == ["a: 6", "A: 7", "B: 2", "C: 4", "D: 5", "d: 8"])
        headers.merge([:])
        #expect(headers.count == 6)
        var empty = HTTPHeaders()
        empty.merge(headers)
        #expect(empty == headers)
    }

    @Test func `repeated replacement keeps other values`() {
        var headers: HTTPHeaders = ["A": "0", "B": "keep"]
        for round in 0..<10_000 { headers["A"] = "\(round)" }
        #expect(lines(headers) == ["A: 9999", "B: keep"])
    }

    @Test func `storage grows for many fields`() {
        var headers = HTTPHeaders()
        for index in 0..<1000 { headers.append(FieldName("X-\(index)"), "value \(index)") }
        #expect(headers.count == 1000)
        #expect(headers["x-999"] == "value 999")
        #expect(headers[500].name == "X-500")
        #expect(headers[500].isNamed("x-500") && !headers[500].isNamed("x-5"))
    }

    @Test func `values are bytes, with text derived from them`() {
        var headers = HTTPHeaders()
        headers.append("A", bytes: [0x20, 0x63, 0xe9, 0xff, 0x09])
        headers.append("B", "c\u{e9}")
        headers.append("C", bytes: [])
        #expect(headers[0].valueBytes == [0x63, 0xe9, 0xff])
        #expect(headers["A"] == "c\u{e9}\u{ff}")
        #expect(headers[1].valueBytes == [0x63, 0xc3, 0xa9])
        #expect(headers["B"] == "c\u{e9}")
        #expect(headers["C"] == "")
    }

    @Test func `values can be listed and replaced as bytes`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers.append("a", bytes: [0xff])
        #expect(headers.valueBytes("A") == [[0x31], [0xff]])
        #expect(headers.valueBytes("C") == [])
        #expect(HTTPHeaders().valueBytes("A") == [])
        headers.replace("A", with: [0xe9, 0x80])
        headers.replace("C", with: [0xfe])
        #expect(headers.map(\.valueBytes) == [[0xe9, 0x80], [0x32], [0xfe]])
    }

    @Test func `equality ignores only the case of names`() {
        let headers: HTTPHeaders = ["A": "x", .etag: "y"]
        #expect(headers == ["a": "x", "eTAG": "y"])
        #expect(headers.hashValue == (["a": "x", "eTAG": "y"] as HTTPHeaders).hashValue)
        #expect(headers != ["A": "X", .etag: "y"])
        #expect(headers != [.etag: "y", "A": "x"])
        #expect(headers != ["A": "x"])
        #expect(HTTPField("a", " b ") == HTTPField("A", "b"))
    }

    @Test func `a field name of 70000 bytes leaves other fields intact`() {
        var headers: HTTPHeaders = ["A": "1"]
        headers.append(FieldName(String(repeating: "x", count: 70_000)), "2")
        headers.append("B", "3")
        #expect(headers.count == 3)
        #expect(headers["A"] == "1" && headers["B"] == "3")
    }

    @Test(
        arguments: [
            ("close", true), ("a, CLOSE", true), (" ,close,", true), ("closed", false),
            ("\"close\"", false), ("a close", false), ("", false),
        ]
    )
    func `a token is found in a list value`(value: String, isListed: Bool) {
        #expect(
            (["Connection": value] as HTTPHeaders).containsToken("close", in: .connection)
                == isListed
        )
    }

    /// Two known names and two unknown ones, each in two spellings.
    private static let names: [FieldName] = [
        "Host", "host", "ETag", "etag", "X-a", "x-A", "y", "Y",
    ]

    private func randomHeaders(_ source: inout SystemRandomNumberGenerator) throws -> HTTPHeaders {
        let pick = { (source: inout SystemRandomNumberGenerator) in
            Self.names.randomElement(using: &source) ?? "y"
        }
        guard Bool.random(using: &source) else {
            var built = HTTPHeaders()
            for value in 0..<Int.random(in: 0...6, using: &source) {
                built.append(pick(&source), "\(value)")
            }
            return built
        }
        // Fields as received, in spellings that the client does not send.
        var text = "HTTP/1.1 200 OK\r\n"
        for value in 0..<Int.random(in: 0...6, using: &source) {
            let space = String(repeating: " ", count: Int.random(in: 0...2, using: &source))
            text += "\(pick(&source)):\(space)\(value)\r\n"
        }
        var decoder = ResponseHeadDecoder()
        return try #require(try decoder.decode(Array((text + "\r\n").utf8).span).head).headers
    }

    @Test func `appending except some names omits exactly those fields`() throws {
        var source = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let (own, added, replaced) = (
                try randomHeaders(&source), try randomHeaders(&source), try randomHeaders(&source)
            )
            let except = Self.names.randomElement(using: &source) ?? "y"
            var appended = own
            appended.append(contentsOf: added, except: except, replaced: replaced)
            let wanted = added.filter { field in
                !field.isNamed(except) && !replaced.contains(FieldName(field.name))
            }
            #expect(lines(appended) == lines(own) + wanted.map { $0.description })
            let bytes = lines(appended).reduce(0) { $0 + $1.utf8.count + 2 }
            #expect(appended.lineBytes == bytes)
        }
    }

    @Test func `reserving capacity does not change the headers`() {
        var headers: HTTPHeaders = ["a": "1"]
        let before = headers
        headers.reserve(fields: 40, bytes: 4000)
        #expect(headers == before)
    }
}
