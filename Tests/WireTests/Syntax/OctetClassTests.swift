import Testing
import Wire

/// Compares the classes that are judged 16 octets at a time with the rules, octet by octet.
@Suite struct OctetClassTests {
    typealias Classes = HeadScanner.Classes

    static func isValue(_ octet: UInt8) -> Bool {
        octet == 0x09 || octet >= 0x20 && octet != 0x7f
    }

    static func isToken(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(octet)
        }
    }

    static func isTarget(_ octet: UInt8) -> Bool {
        0x21...0x7e ~= octet && octet != UInt8(ascii: "#")
    }

    @Test(arguments: 0...70) func `every octet is judged alike at every place`(length: Int) {
        let octets = [UInt8](repeating: 0x2b, count: length)
        let areAllRight = Classes.isValue(octets.span) && Classes.isTarget(octets.span)
        let isToken = Classes.isToken(octets.span)
        #expect(areAllRight && isToken == (length > 0))
        for place in 0..<length {
            for octet in UInt8.min...UInt8.max {
                var octets = [UInt8](repeating: 0x61, count: length)
                octets[place] = octet
                let isRight =
                    Classes.isValue(octets.span) == Self.isValue(octet)
                    && Classes.isToken(octets.span) == Self.isToken(octet)
                    && Classes.isTarget(octets.span) == Self.isTarget(octet)
                if !isRight { Issue.record("\(octet) at \(place) of \(length)") }
            }
        }
    }

    @Test(arguments: 0...40)
    func `what is sent holds what it may and nothing else, at every place`(length: Int) throws {
        for place in 0..<length {
            for octet in UInt8.min...UInt8.max {
                var value = [UInt8](repeating: 0x61, count: length)
                value[place] = octet
                let expected: [UInt8]? =
                    Self.isValue(octet)
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
                } catch let fault {
                    error = fault
                }
                if first != expected ?? [] || second != first
                    || (error == nil) != (expected != nil)
                {
                    Issue.record("\(octet) at \(place) of \(length)")
                }
            }
        }
    }

    private func trimmed(_ value: [UInt8]) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        return Array(value.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
