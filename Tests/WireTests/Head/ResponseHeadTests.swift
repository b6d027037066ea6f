import Testing
import Wire

@Suite struct ResponseHeadTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            (HTTPStatus.ok, HTTPMethod.get, true, true), (.ok, .head, true, false),
            (.continue, .get, false, false), (.noContent, .get, false, false),
            (.notModified, .get, false, false), (.notFound, .post, true, true),
        ]
    )
    func `status and method determine whether a response can have a length and a body`(
        status: HTTPStatus,
        method: HTTPMethod,
        hasLength: Bool,
        hasBody: Bool
    ) {
        let head = ResponseHead(status: status)
        #expect(head.canHaveContentLength == hasLength)
        #expect(head.canHaveBody(to: method) == hasBody)
    }

    static let framings: [(HTTPHeaders, Bool)] = [
        ([:], false), ([.contentLength: "0"], true), ([.transferEncoding: "chunked"], true),
        ([.connection: "close"], false),
    ]

    @Test(arguments: framings)
    func `a field of the head can determine the end of the body`(
        headers: HTTPHeaders,
        isFramed: Bool
    ) {
        #expect(ResponseHead(status: .ok, headers: headers).isFramed == isFramed)
    }
}
