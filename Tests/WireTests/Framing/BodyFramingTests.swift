import Testing
import Wire

@Suite struct BodyFramingTests {
    struct Row: CustomTestStringConvertible {
        var rule: String
        var method: HTTPMethod = .get
        var status: HTTPStatus = .ok
        var version: HTTPVersion = .http11
        var headers: HTTPHeaders
        var framing: Result<BodyFraming, WireError>
        var testDescription: String { "\(rule) \(headers.map(\.description))" }
    }

    static let responses: [Row] = [
        Row(rule: "1", method: .head, headers: [.contentLength: "5"], framing: .success(.noBody)),
        Row(rule: "1", method: .head, headers: [.contentLength: "x"], framing: .success(.noBody)),
        Row(
            rule: "1",
            status: .noContent,
            headers: [.transferEncoding: "chunked"],
            framing: .success(.noBody)
        ),
        Row(
            rule: "1",
            status: .notModified,
            headers: [.contentLength: "5"],
            framing: .success(.noBody)
        ),
        Row(
            rule: "1",
            status: .earlyHints,
            headers: [.contentLength: "5"],
            framing: .success(.noBody)
        ),
        Row(
            rule: "2",
            method: .connect,
            status: 299,
            headers: [.contentLength: "5"],
            framing: .success(.noBody)
        ),
        Row(
            rule: "2",
            method: .connect,
            status: 300,
            headers: [.contentLength: "5"],
            framing: .success(.length(5))
        ),
        Row(
            rule: "3",
            headers: [.contentLength: "5", .transferEncoding: "chunked"],
            framing: .success(.chunked)
        ),
        Row(
            rule: "3",
            headers: [.contentLength: "x", .transferEncoding: "chunked"],
            framing: .success(.chunked)
        ),
        Row(rule: "4", headers: [.transferEncoding: "chunked"], framing: .success(.chunked)),
        Row(rule: "4", headers: ["transfer-ENCODING": " Chunked\t"], framing: .success(.chunked)),
        Row(rule: "4", headers: [.transferEncoding: "gzip"], framing: .failure(.chunkedNotLast)),
        Row(
            rule: "4",
            headers: [.transferEncoding: "chunked, gzip"],
            framing: .failure(.chunkedNotLast)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "identity"],
            framing: .failure(.chunkedNotLast)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "chunked, chunked"],
            framing: .failure(.chunkedTwice)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "chunked", .transferEncoding: "chunked"],
            framing: .failure(.chunkedTwice)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "gzip, chunked"],
            framing: .failure(.unknownTransferCoding)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "gzip", .transferEncoding: "chunked"],
            framing: .failure(.unknownTransferCoding)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: ""],
            framing: .failure(.malformedTransferEncoding)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "chunked,"],
            framing: .failure(.malformedTransferEncoding)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "\u{0b}chunked"],
            framing: .failure(.malformedTransferEncoding)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "chunked;q=1"],
            framing: .failure(.malformedTransferEncoding)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "\"chunked\""],
            framing: .failure(.malformedTransferEncoding)
        ),
        Row(
            rule: "4",
            headers: [.transferEncoding: "chun ked"],
            framing: .failure(.malformedTransferEncoding)
        ),
        Row(
            rule: "4",
            version: .http10,
            headers: [.transferEncoding: "chunked"],
            framing: .failure(.transferEncodingInHTTP10)
        ),
        Row(rule: "5", headers: [.contentLength: ""], framing: .failure(.malformedContentLength)),
        Row(rule: "5", headers: [.contentLength: "+5"], framing: .failure(.malformedContentLength)),
        Row(rule: "5", headers: [.contentLength: "-0"], framing: .failure(.malformedContentLength)),
        Row(
            rule: "5",
            headers: [.contentLength: "5 5"],
            framing: .failure(.malformedContentLength)
        ),
        Row(
            rule: "5",
            headers: [.contentLength: "0x5"],
            framing: .failure(.malformedContentLength)
        ),
        Row(
            rule: "5",
            headers: [.contentLength: "5_0"],
            framing: .failure(.malformedContentLength)
        ),
        Row(rule: "5", headers: [.contentLength: "5,"], framing: .failure(.malformedContentLength)),
        Row(
            rule: "5",
            headers: [.contentLength: "5\u{0b}"],
            framing: .failure(.malformedContentLength)
        ),
        Row(
            rule: "5",
            headers: [.contentLength: "\u{665}"],
            framing: .failure(.malformedContentLength)
        ),
        Row(
            rule: "5",
            headers: [.contentLength: "5, 6"],
            framing: .failure(.conflictingContentLengths)
        ),
        Row(
            rule: "5",
            headers: [.contentLength: "5", .contentLength: "6"],
            framing: .failure(.conflictingContentLengths)
        ),
        Row(
            rule: "5",
            headers: [.contentLength: "9223372036854775808"],
            framing: .failure(.contentLengthOverflow)
        ),
        Row(
            rule: "5",
            headers: [.contentLength: "99999999999999999999999"],
            framing: .failure(.contentLengthOverflow)
        ),
        Row(rule: "6", headers: [.contentLength: "0"], framing: .success(.length(0))),
        Row(rule: "6", headers: [.contentLength: "007"], framing: .success(.length(7))),
        Row(
            rule: "6",
            headers: [.contentLength: "9223372036854775807"],
            framing: .success(.length(9_223_372_036_854_775_807))
        ),
        Row(rule: "6", headers: [.contentLength: "5, 5 ,5"], framing: .success(.length(5))),
        Row(
            rule: "6",
            headers: [.contentLength: "5", .contentLength: "5"],
            framing: .success(.length(5))
        ),
        Row(rule: "8", headers: [:], framing: .success(.untilClose)),
        Row(rule: "8", version: .http10, headers: [:], framing: .success(.untilClose)),
    ]

    @Test(.tags(.rfc9112), arguments: responses)
    func `§6.3: the framing of a response body is determined`(row: Row) throws {
        let result = Result { () throws(WireError) in
            try BodyFraming.ofResponse(
                to: row.method,
                status: row.status,
                version: row.version,
                headers: row.headers
            )
        }
        #expect(result == row.framing)
        if case .failure(let error) = result { #expect(error.kind == .framing) }
    }

    static let requests: [Row] = [
        Row(rule: "7", headers: [:], framing: .success(.noBody)),
        Row(rule: "6", headers: [.contentLength: "3"], framing: .success(.length(3))),
        Row(rule: "4", headers: [.transferEncoding: "chunked"], framing: .success(.chunked)),
        Row(
            rule: "3",
            headers: [.transferEncoding: "chunked", .contentLength: "3"],
            framing: .failure(.lengthBesideTransferEncoding)
        ),
        Row(rule: "4", headers: [.transferEncoding: "gzip"], framing: .failure(.chunkedNotLast)),
        Row(
            rule: "4",
            version: .http10,
            headers: [.transferEncoding: "chunked"],
            framing: .failure(.transferEncodingInHTTP10)
        ),
        Row(
            rule: "5",
            headers: [.contentLength: "3, 4"],
            framing: .failure(.conflictingContentLengths)
        ),
    ]

    @Test(.tags(.rfc9112), arguments: requests)
    func `§6.3: the framing of a request body is determined`(row: Row) throws {
        let result = Result { () throws(WireError) in
            try BodyFraming.ofRequest(version: row.version, headers: row.headers)
        }
        #expect(result == row.framing)
    }
}
