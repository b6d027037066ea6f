import Testing
import Wire

@Suite struct ConnectionPersistenceTests {
    @Test(
        .tags(.rfc9112),
        arguments: [
            ([:], .http11, nil), ([:], .http10, .http10),
            ([.connection: "close"], .http11, .connectionClose),
            ([.connection: "x,CLOSE"], .http11, .connectionClose),
            ([.connection: "a", .connection: "close"], .http11, .connectionClose),
            ([.connection: "closed"], .http11, nil),
            ([.connection: "keep-alive"], .http10, nil),
            ([.connection: "keep-alive", .transferEncoding: "chunked"], .http10, .http10),
            ([.connection: "keep-alive", .transferEncoding: "chunked"], .http11, nil),
            ([.connection: "keep-alive, close"], .http10, .connectionClose),
            (["Proxy-Connection": "keep-alive"], .http10, .http10),
        ] as [(HTTPHeaders, HTTPVersion, CloseReason?)]
    )
    func `§9.3: one head determines whether the connection persists`(
        headers: HTTPHeaders,
        version: HTTPVersion,
        reason: CloseReason?
    ) {
        #expect(ConnectionPersistence.closeReason(of: headers, version: version) == reason)
        // The request or the response alone can prevent reuse.
        let plainRequest = RequestHead(method: .get, target: .origin("/"))
        let plainResponse = ResponseHead(status: .ok)
        let request = RequestHead(
            method: .get,
            target: .origin("/"),
            version: version,
            headers: headers
        )
        let response = ResponseHead(version: version, status: .ok, headers: headers)
        for pair in [(request, plainResponse), (plainRequest, response)] {
            let result = ConnectionPersistence.closeReason(
                request: pair.0,
                response: pair.1,
                framing: .length(0)
            )
            #expect(result == reason)
        }
    }
}
