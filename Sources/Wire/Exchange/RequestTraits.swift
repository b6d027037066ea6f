/// The properties of a request that affect its response.
struct RequestTraits: Sendable {
    let method: HTTPMethod
    let version: HTTPVersion
    /// The reason in the request alone why another exchange is impossible.
    let closeReason: CloseReason?
    let offer: UpgradeOffer
    let expectsContinue: Bool

    init(_ head: RequestHead) {
        method = head.method
        version = head.version
        // Fast path for most requests, which have none of these fields.
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
