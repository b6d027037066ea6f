/// Keeps of a request what its response depends on.
struct RequestTraits: Sendable {
    let method: HTTPMethod
    let version: HTTPVersion
    /// What the request alone says against another exchange.
    let closeReason: CloseReason?
    let offer: UpgradeOffer
    let expectsContinue: Bool

    init(_ head: RequestHead) {
        method = head.method
        version = head.version
        // As with most requests: none of the fields that the rest is about.
        guard head.headers.containsAny(of: .connection, .expect, .upgrade) else {
            closeReason = head.version >= .http11 ? nil : .http10
            offer = .nothing
            expectsContinue = false
            return
        }
        closeReason = ConnectionPersistence.closeReason(of: head.headers, version: head.version)
        offer = UpgradeOffer(head)
        expectsContinue = head.expectsContinue
    }
}
