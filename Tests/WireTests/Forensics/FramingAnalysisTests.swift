import Testing
import Wire
import WireForensics

@Suite(.tags(.rfc9112)) struct FramingAnalysisTests {
    typealias Decision = FramingAnalysis.Decision

    struct Row: Sendable, CustomTestStringConvertible {
        var headers: HTTPHeaders
        var version = HTTPVersion.http11
        var rule: Int
        var expected: Decision
        /// The applied decision; nil if it is the expected one.
        var applied: Decision?
        var codes: [Diagnostic.Code] = []
        var interpretations: [BodyFraming]
        var testDescription: String { headers.description }
    }

    static let requests = [
        Row(headers: [:], rule: 7, expected: .framing(.noBody), interpretations: [.noBody]),
        Row(
            headers: ["content-length": "5"],
            rule: 6,
            expected: .framing(.length(5)),
            interpretations: [.length(5), .length(5), .length(5), .noBody]
        ),
        Row(
            headers: ["content-length": "5", "Content-Length": "5, 5"],
            rule: 6,
            expected: .framing(.length(5)),
            codes: [.repeatedContentLength, .repeatedContentLength],
            interpretations: [.length(5), .length(5), .length(5), .noBody]
        ),
        Row(
            headers: ["content-length": "5", "Content-Length": "6"],
            rule: 5,
            expected: .rejection(.conflictingContentLengths),
            codes: [.conflictingContentLengths],
            interpretations: [.length(5), .length(6), .length(5), .noBody]
        ),
        Row(
            headers: ["content-length": "+5"],
            rule: 5,
            expected: .rejection(.malformedContentLength),
            codes: [.malformedContentLength],
            interpretations: [.length(5), .noBody]
        ),
        Row(
            headers: ["content-length": "7 x, 8"],
            rule: 5,
            expected: .rejection(.malformedContentLength),
            codes: [.malformedContentLength],
            interpretations: [.length(8), .length(8), .length(7), .noBody]
        ),
        Row(
            headers: ["content-length": ""],
            rule: 5,
            expected: .rejection(.malformedContentLength),
            codes: [.malformedContentLength],
            interpretations: [.noBody]
        ),
        Row(
            headers: ["content-length": "9223372036854775808"],
            rule: 5,
            expected: .rejection(.contentLengthOverflow),
            codes: [.contentLengthOverflow],
            interpretations: [.length(.max), .noBody]
        ),
        Row(
            headers: ["transfer-encoding": "Chunked"],
            rule: 4,
            expected: .framing(.chunked),
            interpretations: [.chunked, .noBody]
        ),
        Row(
            headers: ["content-length": "5", "transfer-encoding": "chunked"],
            rule: 3,
            expected: .framing(.chunked),
            applied: .rejection(.lengthBesideTransferEncoding),
            codes: [.lengthBesideTransferEncoding],
            interpretations: [.chunked, .length(5), .length(5), .length(5), .noBody]
        ),
        Row(
            headers: ["transfer-encoding": "gzip", "Transfer-Encoding": "chunked"],
            rule: 4,
            expected: .framing(.chunked),
            applied: .rejection(.unknownTransferCoding),
            codes: [.unknownTransferCoding],
            interpretations: [.chunked, .noBody]
        ),
        Row(
            headers: ["transfer-encoding": "chunked, chunked"],
            rule: 4,
            expected: .framing(.chunked),
            applied: .rejection(.chunkedTwice),
            codes: [.chunkedTwice],
            interpretations: [.chunked, .noBody]
        ),
        Row(
            headers: ["transfer-encoding": "chunked, gzip"],
            rule: 4,
            expected: .rejection(.chunkedNotLast),
            codes: [.unknownTransferCoding, .chunkedNotLast],
            interpretations: [.noBody, .noBody]
        ),
        Row(
            headers: ["transfer-encoding": "x y, chunked"],
            rule: 4,
            expected: .framing(.chunked),
            applied: .rejection(.malformedTransferEncoding),
            codes: [.malformedTransferEncoding],
            interpretations: [.chunked, .noBody]
        ),
        Row(
            headers: ["transfer-encoding": "chunked"],
            version: .http10,
            rule: 4,
            expected: .rejection(.transferEncodingInHTTP10),
            codes: [.transferEncodingInHTTP10],
            interpretations: [.chunked, .noBody]
        ),
    ]

    @Test(arguments: requests)
    func `the framing fields of a request are interpreted in every possible way`(row: Row) {
        check(FramingAnalysis.ofRequest(version: row.version, headers: row.headers), row)
    }

    static let responses = [
        Row(headers: [:], rule: 8, expected: .framing(.untilClose), interpretations: [.untilClose]),
        Row(
            headers: ["content-length": "5", "transfer-encoding": "chunked"],
            rule: 3,
            expected: .framing(.chunked),
            codes: [.lengthBesideTransferEncoding],
            interpretations: [.chunked, .length(5), .length(5), .length(5), .untilClose]
        ),
        Row(
            headers: ["transfer-encoding": "gzip"],
            rule: 4,
            expected: .framing(.untilClose),
            applied: .rejection(.chunkedNotLast),
            codes: [.unknownTransferCoding, .chunkedNotLast],
            interpretations: [.untilClose, .untilClose]
        ),
    ]

    @Test(arguments: responses)
    func `the framing fields of a response are interpreted in every possible way`(row: Row) {
        let analysis = FramingAnalysis.ofResponse(
            to: .get,
            status: .ok,
            version: row.version,
            headers: row.headers
        )
        check(analysis, row)
    }

    @Test func `rules 1 and 2 take precedence over the fields, which are still reported`() {
        let headers: HTTPHeaders = ["content-length": "5", "transfer-encoding": "chunked"]
        let rows: [(HTTPMethod, HTTPStatus, Int, Int)] = [
            (.head, .ok, 1, 1), (.get, .notModified, 1, 1), (.get, .noContent, 1, 3),
            (.get, 103, 1, 3), (.connect, .ok, 2, 3),
        ]
        for (method, status, rule, count) in rows {
            let analysis = FramingAnalysis.ofResponse(
                to: method,
                status: status,
                version: .http11,
                headers: headers
            )
            #expect(analysis.expected == .framing(.noBody))
            #expect(analysis.rule == rule)
            #expect(analysis.diagnostics.count == count)
        }
    }

    @Test func `a message is ambiguous if recipients could interpret it differently`() {
        func isAmbiguous(_ headers: HTTPHeaders) -> Bool {
            FramingAnalysis.ofRequest(version: .http11, headers: headers).isAmbiguous
        }
        #expect(!isAmbiguous([:]))
        #expect(!isAmbiguous(["content-length": "5, 5"]))
        #expect(!isAmbiguous(["transfer-encoding": "chunked"]))
        #expect(isAmbiguous(["content-length": "5, 6"]))
        #expect(isAmbiguous(["content-length": "5", "transfer-encoding": "chunked"]))
        #expect(isAmbiguous(["content-length": "7 x, 8"]))
    }

    @Test func `a diagnostic has the byte range of the value in the head`() throws {
        let text = "GET / HTTP/1.1\r\nContent-Length:  12\r\nContent-Length: 1\r\n 3\r\n\r\n"
        let head = try #require(DecodedHead(text, .request, .forensic).request)
        let analysis = FramingAnalysis.ofRequest(version: head.version, headers: head.headers)
        #expect(
            analysis.diagnostics == [Diagnostic(.malformedContentLength, at: 37..<51)]
        )
        let other = "GET / HTTP/1.1\r\nContent-Length:  12\r\nContent-Length: 13\r\n\r\n"
        let plain = try #require(DecodedHead(other, .request, .forensic).request)
        #expect(
            FramingAnalysis.ofRequest(version: .http11, headers: plain.headers).diagnostics
                == [Diagnostic(.conflictingContentLengths, at: 53..<55)]
        )
    }

    @Test func `a long list is analyzed in linear time and its diagnostics are limited`() {
        let list = String(repeating: "1,", count: 30_000)
        let analysis = FramingAnalysis.ofRequest(
            version: .http11,
            headers: ["content-length": list]
        )
        #expect(analysis.diagnostics.count == WireLimits.default.diagnosticCount + 1)
        #expect(analysis.diagnostics.last?.code == .furtherDeviations)
    }

    private func check(_ analysis: FramingAnalysis, _ row: Row) {
        #expect(analysis.rule == row.rule)
        #expect(analysis.expected == row.expected)
        #expect(analysis.applied == row.applied ?? row.expected)
        #expect(analysis.diagnostics.map(\.code) == row.codes)
        #expect(analysis.interpretations.map(\.framing) == row.interpretations)
    }

    @Test func `a decision describes itself`() {
        #expect("\(Decision.framing(.length(5)))" == "\(BodyFraming.length(5))")
        #expect(
            "\(Decision.rejection(.chunkedTwice))"
                == "rejection: the chunked coding is applied twice"
        )
    }
}
