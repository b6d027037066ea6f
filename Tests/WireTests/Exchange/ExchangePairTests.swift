import Support
import Testing
import Wire

/// Connects a client exchange and a server exchange that share only bytes.
///
/// Both sides must agree on each message and on whether the connection can be reused.
@Suite struct ExchangePairTests {
    /// A randomly generated exchange.
    private struct Draft {
        var request: RequestHead
        var requestFraming: BodyFraming
        var requestBody: [UInt8]
        var response: ResponseHead
        var content: ResponseContent
        var responseBody: [UInt8]
        var trailers: HTTPHeaders
        var sendsEarlyHints: Bool
    }

    @Test(.tags(.rfc9112), arguments: 0..<40)
    func `client and server agree on framing and connection reuse`(seed: Int) throws {
        var random = HeadMutator(seed: UInt64(seed))
        for _ in 0..<25 {
            var connection = PairedConnection(piece: 1 + random.below(60))
            var exchanges = 0
            while exchanges < 6 {
                let draft = draft(&random)
                let outcome = try connection.run(
                    draft.request,
                    framing: draft.requestFraming,
                    body: draft.requestBody,
                    response: draft.response,
                    content: draft.content,
                    responseBody: draft.responseBody,
                    trailers: draft.trailers,
                    sendsEarlyHints: draft.sendsEarlyHints
                )
                exchanges += 1
                #expect(outcome.request == draft.request)
                #expect(outcome.requestFraming == draft.requestFraming)
                #expect(outcome.requestBody == draft.requestBody)
                #expect(outcome.responseStatus == draft.response.status)
                #expect(outcome.clientFraming == outcome.serverFraming)
                #expect(outcome.serverFraming != .chunked || draft.request.version >= .http11)
                let hasBody = outcome.serverFraming != BodyFraming.noBody
                #expect(outcome.responseBody == (hasBody ? draft.responseBody : []))
                let hasTrailers = outcome.serverFraming == .chunked
                #expect(outcome.trailers == (hasTrailers ? draft.trailers : [:]))
                #expect(
                    outcome.hintCount
                        == (draft.sendsEarlyHints && draft.request.version >= .http11 ? 1 : 0)
                )
                #expect((outcome.clientReason == nil) == (outcome.serverReason == nil))
                #expect(outcome.clientProtocolSwitch == outcome.serverProtocolSwitch)
                #expect(
                    (outcome.clientProtocolSwitch != nil) == (outcome.clientReason == .upgraded)
                )
                guard outcome.clientReason == nil else { break }
            }
        }
    }

    private func draft(_ random: inout HeadMutator) -> Draft {
        let methods: [HTTPMethod] = [.get, .head, .post, .put, .options, .connect]
        let method = methods[random.below(methods.count)]
        let version: HTTPVersion = random.below(4) == 0 ? .http10 : .http11
        let target: RequestTarget = method == .connect ? .authority("h:1") : .origin("/p?q")
        var headers: HTTPHeaders = [.host: "h", "X-A": "b"]
        if random.below(5) == 0 { headers.append(.connection, "close") }
        if random.below(3) == 0 { headers.append(.connection, "keep-alive") }
        let offersUpgrade = random.below(4) == 0
        if offersUpgrade {
            headers.append(.connection, "upgrade")
            headers.append(.upgrade, "one, two/2")
        }
        let body = bytes(&random)
        var framing = BodyFraming.noBody
        switch random.below(3) {
        case 0: break
        case 1 where version >= .http11:
            framing = .chunked
            headers.append(.transferEncoding, "chunked")
        default:
            framing = .length(body.count)
            headers.append(.contentLength, "\(body.count)")
        }
        if framing != .noBody, random.below(2) == 0 { headers.append(.expect, "100-continue") }
        let canUpgrade = offersUpgrade && version >= .http11 && method != .connect
        return reply(
            Draft(
                request: RequestHead(
                    method: method,
                    target: target,
                    version: version,
                    headers: headers
                ),
                requestFraming: framing,
                requestBody: framing == .noBody ? [] : body,
                response: ResponseHead(status: .ok),
                content: .empty,
                responseBody: [],
                trailers: [:],
                sendsEarlyHints: random.below(4) == 0
            ),
            canUpgrade: canUpgrade,
            &random
        )
    }

    private func reply(_ draft: Draft, canUpgrade: Bool, _ random: inout HeadMutator) -> Draft {
        var draft = draft
        if canUpgrade, random.below(3) == 0 {
            draft.response = ResponseHead(
                status: .switchingProtocols,
                headers: [.upgrade: "Two/2"]
            )
            return draft
        }
        let statuses: [HTTPStatus] = [.ok, .ok, .noContent, .notModified, .resetContent, .notFound]
        let status = statuses[random.below(statuses.count)]
        draft.response = ResponseHead(status: status, headers: ["X-B": "c"])
        if random.below(6) == 0 { draft.response.headers.append(.connection, "close") }
        let isBodyless =
            status == .noContent || status == .resetContent
            || draft.request.method == .connect && status.kind == .successful
        if isBodyless { return draft }
        let body = bytes(&random)
        switch random.below(3) {
        case 0: break
        case 1:
            draft.responseBody = body
            draft.content = .length(body.count)
        default:
            draft.responseBody = body
            draft.content = .streamed
            if random.below(2) == 0 { draft.trailers = ["X-Sum": "7"] }
        }
        return draft
    }

    private func bytes(_ random: inout HeadMutator) -> [UInt8] {
        (0..<random.below(4) * random.below(40)).map { _ in UInt8(random.below(256)) }
    }
}
