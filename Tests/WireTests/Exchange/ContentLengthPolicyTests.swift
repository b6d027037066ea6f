import Testing
import Wire

@Suite struct ContentLengthPolicyTests {
    private func exchange(_ use: Strictness.ContentLengthPolicy) -> MessageExchange {
        let request = RequestHead(method: .get, target: .origin("/"))
        var exchange = MessageExchange(request: request, contentLengthPolicy: use)
        exchange.requestSent()
        return exchange
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", BodyFraming.length(3), .untilClose),
            ("HTTP/1.1 200 OK\r\nContent-Length: a\r\n\r\n", nil, .untilClose),
            ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", .untilClose, .untilClose),
            ("HTTP/1.1 204 No Content\r\n\r\n", BodyFraming.noBody, BodyFraming.noBody),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
                .chunked,
                .chunked
            ),
        ] as [(String, BodyFraming?, BodyFraming)]
    )
    func `Content-Length is used or ignored according to the policy`(
        text: String,
        trusted: BodyFraming?,
        ignored: BodyFraming
    ) {
        for (use, expected) in [(.trusted, trusted), (.ignored, ignored)]
            as [(Strictness.ContentLengthPolicy, BodyFraming?)]
        {
            var exchange = exchange(use)
            let step = try? exchange.receive(Array(text.utf8).span)
            guard case .head(let head, let framing)? = step?.event else {
                #expect(expected == nil)
                continue
            }
            #expect(framing == expected)
            #expect(head.rawBytes == Array(text.utf8), "the head is delivered as it came")
        }
    }
}
