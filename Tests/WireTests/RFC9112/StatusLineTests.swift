import Testing
import Wire

/// Tests the rules of RFC 9112 §4.
@Suite(.tags(.rfc9112)) struct StatusLineTests {
    @Test("RFC 9112 §4: more than one space between version and status is rejected")
    func singleSpaces() {
        #expect(
            AllSplits.responseError("HTTP/1.1  200 OK\r\n\r\n") == .malformedStatus(offset: 9)
        )
        #expect(
            AllSplits.responseError("HTTP/1.1\t200 OK\r\n\r\n") == .malformedVersion(offset: 8)
        )
    }

    @Test("RFC 9112 §4: a status other than three digits is rejected")
    func threeDigits() {
        for status in ["20", "2000", "2x0", "+20", "099"] {
            guard case .malformedStatus? = AllSplits.responseError("HTTP/1.1 \(status) OK\r\n\r\n")
            else {
                Issue.record("\(status) was accepted")
                continue
            }
        }
        var output: [UInt8] = []
        for code in [0, 99, 1000] as [Int] {
            #expect(throws: WireError.invalidStatus) {
                try ResponseHeadEncoder.encode(
                    ResponseHead(status: HTTPStatus(code)),
                    into: &output
                )
            }
        }
    }

    @Test("RFC 9112 §4: an empty reason is accepted, and the space before it is always sent")
    func emptyReason() throws {
        let outcome = AllSplits.received("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n")
        #expect(outcome.head?.reason == "")
        var output: [UInt8] = []
        try ResponseHeadEncoder.encode(ResponseHead(status: 299, reason: ""), into: &output)
        #expect(output == Array("HTTP/1.1 299 \r\n\r\n".utf8))
    }

    @Test("RFC 9112 §4: the reason does not affect the result")
    func reasonMeansNothing() {
        let outcome = AllSplits.received("HTTP/1.1 204 500 Oh\tno \u{e9}\r\n\r\n")
        #expect(outcome.head?.status == .noContent)
        #expect(outcome.error == nil)
    }

    @Test("RFC 9112 §4: a reason with control bytes is rejected")
    func reasonBytes() {
        #expect(
            AllSplits.responseError("HTTP/1.1 200 O\u{1}K\r\n\r\n") == .malformedReason(offset: 14)
        )
        var output: [UInt8] = []
        #expect(throws: WireError.invalidReason) {
            try ResponseHeadEncoder.encode(
                ResponseHead(status: .ok, reason: "a\r\nb"),
                into: &output
            )
        }
    }
}
