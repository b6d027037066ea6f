import Testing
import Wire

@Suite struct InputBufferTests {
    private let first =
        "HTTP/1.1 200 First\r\nServer: one\r\n"
        + "X-Padding: \(String(repeating: "p", count: 64))\r\n\r\n"
    private let second = "HTTP/1.1 404 Second\r\nServer: two\r\nDate: today\r\n\r\n"

    private func decode(
        _ decoder: inout ResponseHeadDecoder,
        _ buffer: inout InputBuffer
    ) throws -> ResponseHead {
        let step = try decoder.decode(in: &buffer)
        let head = try #require(step.head)
        buffer.consume(step.consumed)
        return head
    }

    @Test func `a retained head does not change when the buffer does`() throws {
        var decoder = ResponseHeadDecoder()
        for capacity in [0, 100, 200, 16 * 1024] {
            var buffer = InputBuffer(capacity: capacity)
            var kept: [ResponseHead] = []
            for round in 0..<8 {
                buffer.append(Array((round % 2 == 0 ? first : second).utf8).span)
                kept.append(try decode(&decoder, &buffer))
                buffer.append([UInt8](repeating: 0x21, count: 77).span)
                buffer.consume(77)
            }
            for (round, head) in kept.enumerated() {
                #expect(head.rawBytes == Array((round % 2 == 0 ? first : second).utf8))
                #expect(head.headers[.server] == (round % 2 == 0 ? "one" : "two"))
                #expect(head.reason == (round % 2 == 0 ? "First" : "Second"))
            }
        }
    }

    @Test func `bytes after a head are unchanged`() throws {
        var decoder = ResponseHeadDecoder()
        var buffer = InputBuffer(capacity: 200)
        var wanted: [UInt8] = []
        var got: [UInt8] = []
        var heads: [ResponseHead] = []
        for round in 0..<50 {
            let body = [UInt8](repeating: UInt8(round), count: round * 3)
            buffer.append(Array(second.utf8).span)
            heads.append(try decode(&decoder, &buffer))
            if round % 3 == 0 { heads.removeAll() }
            for byte in body {
                buffer.append([byte].span)
                if byte % 2 == 0 { continue }
                buffer.withBytes { for index in $0.indices { got.append($0[index]) } }
                buffer.consume(buffer.count)
            }
            buffer.withBytes { for index in $0.indices { got.append($0[index]) } }
            buffer.consume(buffer.count)
            wanted += body
            let isEmpty = buffer.isEmpty
            #expect(isEmpty)
        }
        #expect(got == wanted)
    }

    @Test func `pipelined heads are read one at a time`() throws {
        var decoder = ResponseHeadDecoder()
        var buffer = InputBuffer()
        buffer.append(Array((first + second + first).utf8).span)
        let one = try decode(&decoder, &buffer)
        let two = try decode(&decoder, &buffer)
        #expect(one.status == 200 && two.status == 404)
        #expect(one.rawBytes == Array(first.utf8))
        let count = buffer.count
        #expect(count == first.utf8.count)
    }

    @Test func `changing fields of a head does not change its bytes`() throws {
        var decoder = ResponseHeadDecoder()
        var buffer = InputBuffer()
        buffer.append(Array((second + "body").utf8).span)
        var head = try decode(&decoder, &buffer)
        head.headers[.server] = "another"
        head.headers.append("X-More", "1")
        #expect(head.headers.map(\.description) == ["Server: another", "Date: today", "X-More: 1"])
        #expect(head.reason == "Second")
        #expect(head.rawBytes == Array(second.utf8))
        let isRest = buffer.withBytes { $0.count == 4 && $0[0] == UInt8(ascii: "b") }
        #expect(isRest)
    }

    @Test func `fields can be added to a head without fields`() throws {
        var decoder = RequestHeadDecoder()
        var buffer = InputBuffer()
        buffer.append(Array("GET /a HTTP/1.1\r\n\r\n".utf8).span)
        var head = try #require(try decoder.decode(in: &buffer).head)
        head.headers.append(.host, "h")
        #expect(head.target == .origin("/a"))
        #expect(head == RequestHead(method: .get, target: .origin("/a"), headers: [.host: "h"]))
    }

    @Test func `a head with more fields than the table is read completely`() throws {
        var decoder = ResponseHeadDecoder()
        var buffer = InputBuffer(fields: 1)
        buffer.append(Array(second.utf8).span)
        #expect(try decode(&decoder, &buffer).headers.count == 2)
    }

    @Test func `filling grows the buffer, and a failed fill adds nothing`() throws {
        struct Failure: Error {}
        var buffer = InputBuffer(capacity: 4)
        buffer.append([1, 2, 3].span)
        buffer.consume(1)
        #expect(throws: Failure.self) {
            try buffer.fill(atMost: 100) { output throws(Failure) in
                output.append(9)
                throw Failure()
            }
        }
        let count = buffer.count
        #expect(count == 2)
        buffer.fill(atMost: 1000) { output in
            #expect(output.freeCapacity == 1000)
            output.append(4)
        }
        let isRight = buffer.withBytes { $0.count == 3 && $0[0] == 2 && $0[2] == 4 }
        #expect(isRight)
    }

    @Test func `a recycled head is reused, but not while other references exist`() throws {
        var decoder = ResponseHeadDecoder()
        let bytes = Array(first.utf8)
        var head = try #require(try decoder.decode(bytes.span).head)
        let fields = head.headers
        decoder.recycle(head)
        head = try #require(try decoder.decode(Array(second.utf8).span).head)
        #expect(fields[.server] == "one")
        #expect(head.headers[.server] == "two")
        decoder.recycle(head)
        for text in [first, second, first] {
            head = try #require(try decoder.decode(Array(text.utf8).span).head)
            #expect(head.rawBytes == Array(text.utf8))
            decoder.recycle(head)
        }
    }
}
