import Support
import Testing
import Wire

/// Functions that decode a message in every split, and require the same outcome for all.
enum AllSplits {
    /// Returns the outcome of a server for a client's bytes; each request is answered with 204.
    static func served(_ text: String, limits: WireLimits = .default) -> ServerOutcome {
        let whole = ServerOutcome(text, limits: limits)
        for pieces in ByteSplits(text) {
            #expect(ServerOutcome(pieces, limits: limits) == whole)
            #expect(ServerOutcome(pieces, limits: limits, copiesBody: true) == whole)
        }
        return whole
    }

    /// Returns the error of a server for a request.
    static func requestError(_ text: String, limits: WireLimits = .default) -> WireError? {
        served(text, limits: limits).error
    }

    /// Returns the outcome of a client for a server's bytes.
    static func received(
        _ text: String,
        to method: HTTPMethod = .get,
        _ fields: HTTPHeaders = [:]
    ) -> ClientOutcome {
        let whole = ClientOutcome([Array(text.utf8)], to: method, requestHeaders: fields)
        for pieces in ByteSplits(text) {
            #expect(ClientOutcome(pieces, to: method, requestHeaders: fields) == whole)
            for room in [1, 64] {
                #expect(
                    ClientOutcome(pieces, to: method, requestHeaders: fields, copyingInto: room)
                        == whole
                )
            }
        }
        return whole
    }

    /// Returns the error of a client for a response.
    static func responseError(_ text: String, to method: HTTPMethod = .get) -> WireError? {
        received(text, to: method).error
    }

    /// Returns a server that has received `text`, and the bytes of its response.
    static func answered(
        _ text: String,
        _ head: ResponseHead,
        _ content: ResponseContent = .empty
    ) throws -> (exchange: ServerExchange, sent: String) {
        var exchange = ServerExchange()
        let bytes = Array(text.utf8)
        var start = 0
        reading: while true {
            let step = try exchange.receive(bytes.span.extracting(start..<bytes.count))
            start += step.consumed
            switch step.event {
            case .head, .body: continue
            case .needMore, .end: break reading
            }
        }
        var sent: [UInt8] = []
        try exchange.respond(head, content, into: &sent)
        return (exchange, String(decoding: sent, as: UTF8.self))
    }

    /// Returns the bytes of a request as text.
    static func encoded(_ head: RequestHead) throws -> String {
        var output: [UInt8] = []
        try RequestHeadEncoder.encode(head, into: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
