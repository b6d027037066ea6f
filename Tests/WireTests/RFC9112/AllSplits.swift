import Support
import Testing
import Wire

/// Runs a message through a machine in every way it can be cut, and sees to it that the outcome is
/// always the same.
enum AllSplits {
    /// Shows a server what a client sends before it closes; each request is answered by 204.
    static func served(_ text: String, limits: WireLimits = .default) -> ServerOutcome {
        let whole = ServerOutcome(text, limits: limits)
        for pieces in ByteSplits(text) {
            #expect(ServerOutcome(pieces, limits: limits) == whole)
        }
        return whole
    }

    /// Gives the error that a request makes to a server.
    static func requestError(_ text: String, limits: WireLimits = .default) -> WireError? {
        served(text, limits: limits).error
    }

    /// Shows a client what a server sends before it closes.
    static func received(
        _ text: String,
        to method: HTTPMethod = .get,
        _ fields: HTTPHeaders = [:]
    ) -> ClientOutcome {
        let whole = ClientOutcome([Array(text.utf8)], to: method, requestHeaders: fields)
        for pieces in ByteSplits(text) {
            #expect(ClientOutcome(pieces, to: method, requestHeaders: fields) == whole)
        }
        return whole
    }

    /// Gives the error that a response makes to a client.
    static func responseError(_ text: String, to method: HTTPMethod = .get) -> WireError? {
        received(text, to: method).error
    }

    /// A server that has received `text`, and what it makes of an answer.
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

    /// Spells a request as it is sent.
    static func encoded(_ head: RequestHead) throws -> String {
        var output: [UInt8] = []
        try RequestHeadEncoder.encode(head, into: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
