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
        closeReason = Persistence.closeReason(of: head.headers, version: head.version)
        offer = UpgradeOffer(head)
        expectsContinue = head.expectsContinue
    }
}
