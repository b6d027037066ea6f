import Testing
import Wire

/// Compares the byte classes, which test 16 bytes at a time, with the grammar byte by byte.
@Suite struct ByteClassTests {
    @Test func `only ASCII letters become lower case`() {
        let text = "Content-TYPE[\u{c9}\u{130}@"
        #expect(text.lowercasedASCII == "content-type[\u{c9}\u{130}@")
        #expect(Array(text.utf8).lowercasedASCII == Array("content-type[\u{c9}\u{130}@".utf8))
    }

    typealias Classes = HeadScanner.Classes

    static func isValue(_ byte: UInt8) -> Bool {
        byte == 0x09 || byte >= 0x20 && byte != 0x7f
    }

    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    static func isTarget(_ byte: UInt8) -> Bool {
        0x21...0x7e ~= byte && byte != UInt8(ascii: "#")
    }

    @Test(arguments: 0...70) func `every byte is classified the same at every position`(length: Int)
    {
        let bytes = [UInt8](repeating: 0x2b, count: length)
        let areAllRight = Classes.isValue(bytes.span) && Classes.isTarget(bytes.span)
        let isToken = Classes.isToken(bytes.span)
        #expect(areAllRight && isToken == (length > 0))
        for byte in UInt8.min...UInt8.max {
            let expected = (Self.isValue(byte), Self.isToken(byte), Self.isTarget(byte))
            var bytes = [UInt8](repeating: 0x61, count: length)
            for place in 0..<length {
                bytes[place] = byte
                let found = (
                    Classes.isValue(bytes.span), Classes.isToken(bytes.span),
                    Classes.isTarget(bytes.span)
                )
                if found != expected { Issue.record("\(byte) at \(place) of \(length)") }
                bytes[place] = 0x61
            }
        }
    }

    @Test(arguments: 0...40)
    func `a value or target is sent only if every byte is valid, at every position`(
        length: Int
    ) throws {
        for place in 0..<length {
            for byte in UInt8.min...UInt8.max {
                var value = [UInt8](repeating: 0x61, count: length)
                value[place] = byte
                let expected: [UInt8]? =
                    Self.isValue(byte)
                    ? Array("HTTP/1.1 200 OK\r\nA: ".utf8) + trimmed(value) + [13, 10, 13, 10] : nil
                var headers = HTTPHeaders()
                headers.append("A", bytes: value)
                let head = ResponseHead(status: .ok, headers: headers)
                var first: [UInt8] = []
                var second: [UInt8] = []
                var error: WireError?
                do { try ResponseHeadEncoder.encode(head, into: &first) } catch { _ = error }
                do {
                    try ResponseHeadEncoder.encode(.ok, into: &second) { fields in
                        fields.append("A", bytes: value.span)
                    }
                } catch let thrown {
                    error = thrown
                }
                if first != expected ?? [] || second != first
                    || (error == nil) != (expected != nil)
                {
                    Issue.record("\(byte) at \(place) of \(length)")
                }
            }
        }
    }

    private func trimmed(_ value: [UInt8]) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        return Array(value.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
