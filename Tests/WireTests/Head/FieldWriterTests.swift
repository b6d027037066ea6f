import Testing
import Wire

@Suite struct FieldWriterTests {
    @Test func `a writer writes the same lines as headers, for every output capacity`() throws {
        let value = String(repeating: "v", count: 100)
        for count in 0..<20 {
            var headers: HTTPHeaders = ["X-First": " a\t", .contentLength: "0"]
            for index in 0..<count {
                headers.append(FieldName("X-\(index)"), String(value.prefix(index * 7)))
            }
            headers.append(.age, "9223372036854775807")
            let head = ResponseHead(status: 404, reason: "", headers: headers)
            var expected: [UInt8] = [9]
            try ResponseHeadEncoder.encode(head, into: &expected)
            for room in [0, 1, 30, 60, 100, 1000, 4000] {
                var output: [UInt8] = [9]
                output.reserveCapacity(room)
                try ResponseHeadEncoder.encode(404, reason: "", into: &output) { fields in
                    fields.append("X-First", " a\t")
                    fields.append(.contentLength, 0)
                    for index in 0..<count {
                        fields.append(FieldName("X-\(index)"), String(value.prefix(index * 7)))
                    }
                    fields.append(.age, Int.max)
                }
                #expect(output == expected)
            }
        }
    }

    @Test func `sections and single lines can be mixed`() throws {
        var output: [UInt8] = []
        let target = RequestTarget.origin("/a?b")
        try RequestHeadEncoder.encode(.post, target, into: &output) { fields in
            fields.append(.host, "h")
            fields.append(contentsOf: ["A": "1", "a": "2"])
            fields.append(contentsOf: [:])
            fields.append("B", bytes: [0x20, 0xff].span)
        }
        let expected = Array("POST /a?b HTTP/1.1\r\nHost: h\r\nA: 1\r\na: 2\r\nB: ".utf8)
        #expect(output == expected + [0xff, 13, 10, 13, 10])
    }

    @Test func `the first invalid field is reported, and nothing is written`() {
        let rows: [(WireError, (borrowing FieldWriter) -> Void)] = [
            (.invalidFieldName(index: 1), { $0.append("B C", "1") }),
            (.invalidFieldName(index: 1), { $0.append("", "1") }),
            (.invalidFieldName(index: 1), { $0.append("a\r\n", 1) }),
            (.invalidFieldName(index: 1), { $0.append("a\r\n", -1) }),
            (.invalidFieldValue(index: 1), { $0.append("B", -1) }),
            (.invalidFieldValue(index: 1), { $0.append("B", .min) }),
            (.invalidFieldValue(index: 1), { $0.append("B", "1\r\nC: d") }),
            (.invalidFieldValue(index: 1), { $0.append("B", bytes: [0].span) }),
            (.invalidFieldValue(index: 2), { $0.append(contentsOf: ["B": "c", "D": "\u{7f}"]) }),
            (.invalidFieldName(index: 2), { $0.append(contentsOf: ["B": "c", ":": ""]) }),
        ]
        for (error, write) in rows {
            for room in [0, 1000] {
                var output: [UInt8] = [1, 2]
                output.reserveCapacity(room)
                #expect(throws: error) {
                    try ResponseHeadEncoder.encode(.ok, into: &output) { fields in
                        fields.append("A", "1")
                        write(fields)
                        fields.append("B C", "\n")
                        fields.append(contentsOf: ["": ""])
                    }
                }
                #expect(output == [1, 2])
            }
        }
    }

    @Test func `an invalid start line is rejected before the fields are requested`() {
        var output: [UInt8] = [1]
        let asked: (borrowing FieldWriter) -> Void = { _ in Issue.record("the closure was called") }
        let rows: [(WireError, () throws(WireError) -> Void)] = [
            (
                .invalidStatus,
                { () throws(WireError) in
                    try ResponseHeadEncoder.encode(99, into: &output, fields: asked)
                }
            ),
            (
                .invalidReason,
                { () throws(WireError) in
                    try ResponseHeadEncoder.encode(200, reason: "a\n", into: &output, fields: asked)
                }
            ),
            (
                .invalidVersion,
                { () throws(WireError) in
                    try ResponseHeadEncoder.encode(
                        200,
                        version: HTTPVersion(major: 2, minor: 0),
                        into: &output,
                        fields: asked
                    )
                }
            ),
            (
                .invalidMethod,
                { () throws(WireError) in
                    try RequestHeadEncoder.encode("G T", .asterisk, into: &output, fields: asked)
                }
            ),
            (
                .invalidTarget(offset: 1),
                { () throws(WireError) in
                    try RequestHeadEncoder.encode(.get, .origin("/ "), into: &output, fields: asked)
                }
            ),
            (
                .invalidTarget(offset: 0),
                { () throws(WireError) in
                    try RequestHeadEncoder.encode(.get, .asterisk, into: &output, fields: asked)
                }
            ),
        ]
        for (error, encode) in rows { #expect(throws: error) { try encode() } }
        #expect(output == [1])
    }

    @Test func `emptied headers can be filled again`() throws {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        let copy = headers
        headers.removeAll(keepingCapacity: true)
        #expect(headers.isEmpty && copy.count == 2)
        headers.append("C", "3")
        headers.removeAll(keepingCapacity: true)
        #expect(headers.isEmpty && headers["C"] == nil)
        headers.append("D", "4")
        #expect(headers == ["D": "4"])
        headers.removeAll()
        #expect(headers.isEmpty)
        var decoder = ResponseHeadDecoder()
        let text = Array("HTTP/1.1 200 Fine\r\nA: 1\r\n\r\n".utf8)
        var head = try #require(try decoder.decode(text.span).head)
        head.headers.removeAll(keepingCapacity: true)
        head.headers.append("B", "2")
        #expect(head.rawBytes == text && head.reason == "Fine" && head.headers == ["B": "2"])
    }

    @Test func `sections are written in order, for every output capacity`() throws {
        var headers: HTTPHeaders = ["A": "1", "B": String(repeating: "b", count: 40), "C": ""]
        headers["A"] = "2"
        for room in 0..<160 {
            var output: [UInt8] = []
            output.reserveCapacity(room)
            try ResponseHeadEncoder.encode(.ok, into: &output) { fields in
                fields.append("X", 1)
                fields.append(contentsOf: headers)
                fields.append(contentsOf: headers)
                fields.append("Y", 2)
            }
            let section = "A: 2\r\nB: \(String(repeating: "b", count: 40))\r\nC: \r\n"
            let expected = "HTTP/1.1 200 OK\r\nX: 1\r\n\(section)\(section)Y: 2\r\n\r\n"
            #expect(output == Array(expected.utf8))
        }
    }

    @Test func `every byte at every position of a name is accepted or rejected by the grammar`() {
        for length in 1...20 {
            for place in 0..<length {
                for byte in UInt8(0)...0x7f {
                    var name = [UInt8](repeating: 0x61, count: length)
                    name[place] = byte
                    let field = FieldName(String(decoding: name, as: UTF8.self))
                    let isRight = ByteClassTests.isToken(byte)
                    var output: [UInt8] = []
                    var error: WireError?
                    do {
                        try RequestHeadEncoder.encode(.get, .origin("/"), into: &output) { fields in
                            fields.append(field, 7)
                        }
                    } catch let thrown {
                        error = thrown
                    }
                    let line = Array("GET / HTTP/1.1\r\n".utf8) + name + Array(": 7\r\n\r\n".utf8)
                    let isExpected =
                        isRight
                        ? error == nil && output == line
                        : error == .invalidFieldName(index: 0) && output.isEmpty
                    if !isExpected { Issue.record("\(byte) at \(place) of \(length)") }
                }
            }
        }
    }
}
