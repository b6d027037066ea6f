import Testing
import Wire

@Suite struct HeadReuseTests {
    private static func request(_ number: Int) -> [UInt8] {
        Array("GET /\(number)?a=b HTTP/1.1\r\nHost: h\(number)\r\n\r\n".utf8)
    }

    @Test
    func `a recycled head is reused for the next one, and its copied parts do not change`()
        throws
    {
        var decoder = RequestHeadDecoder()
        var fields: [HTTPHeaders] = []
        for number in 0..<4 {
            let head = try #require(try decoder.decode(Self.request(number).span).head)
            #expect(head.headers[.host] == "h\(number)")
            #expect(head.target.description == "/\(number)?a=b")
            fields.append(head.headers)
            decoder.recycle(head)
        }
        #expect(fields.map { $0[.host] } == ["h0", "h1", "h2", "h3"])
    }

    @Test func `heads with equal content are equal, whether received or built`() throws {
        var decoder = RequestHeadDecoder()
        let received = try #require(try decoder.decode(Self.request(1).span).head)
        let built = RequestHead(method: .get, target: .origin("/1?a=b"), headers: [.host: "h1"])
        let other = try #require(try decoder.decode(Self.request(2).span).head)
        #expect(received == built)
        #expect(Set([received, built, other]).count == 2)
        #expect(Set([received.target, built.target, other.target]).count == 2)
    }

    @Test(arguments: [64, 100])
    func `bytes move to the front when the buffer has too little room after them`(
        capacity: Int
    ) throws {
        var buffer = InputBuffer(capacity: capacity, fields: 4)
        var (got, wanted): ([UInt8], [UInt8]) = ([], [])
        for round in UInt8.min..<200 {
            let piece = [UInt8](repeating: round, count: 7 + Int(round) % 5)
            buffer.append(piece.span)
            wanted += piece
            let due = buffer.count > 40 ? buffer.count - 3 : 0
            buffer.withBytes { for index in 0..<due { got.append($0[index]) } }
            buffer.consume(due)
        }
        buffer.withBytes { for index in $0.indices { got.append($0[index]) } }
        #expect(got == wanted)
    }

    @Test func `a head is read correctly after its bytes have moved`() throws {
        var decoder = RequestHeadDecoder()
        let bytes = Self.request(7)
        var buffer = InputBuffer(capacity: bytes.count + 20, fields: 4)
        for _ in 0..<50 {
            buffer.append([UInt8](repeating: 0x21, count: 15).span)
            buffer.append(bytes.span.extracting(first: 5))
            buffer.consume(15)
            buffer.append(bytes.span.extracting(5...))
            let step = try decoder.decode(in: &buffer)
            buffer.consume(step.consumed)
            let isEmpty = buffer.isEmpty
            #expect(isEmpty && step.head?.headers[.host] == "h7")
        }
    }
}
