/// The protocols to which a request offers to upgrade (RFC 9110 §7.8).
struct UpgradeOffer: Sendable {
    /// The fields of the request, shared and not copied; nil if it offers nothing.
    private let headers: HTTPHeaders?

    /// An offer of no protocols.
    static let nothing = UpgradeOffer(headers: nil)

    private init(headers: HTTPHeaders?) {
        self.headers = headers
    }

    /// Creates the offer of a request.
    ///
    /// A request of HTTP/1.0, or without `upgrade` in its Connection field, offers nothing, because
    /// the standard requires recipients to ignore the field.
    init(_ request: RequestHead) {
        let isOffer =
            request.headers.contains(.upgrade) && request.version >= .http11
            && request.headers.containsToken("upgrade", in: .connection)
        headers = isOffer ? request.headers : nil
    }

    /// Returns whether a 101 response chooses at least one protocol, and only offered ones.
    func matches(_ response: ResponseHead) -> Bool {
        guard let headers else { return false }
        var count = 0
        var isCovered = true
        response.headers.forEachElement(of: .upgrade) { choice in
            guard !choice.isEmpty else { return }
            count += 1
            var isOffered = false
            headers.forEachElement(of: .upgrade) { offer in
                isOffered = isOffered || ByteClass.equalsIgnoringCase(choice, offer)
            }
            isCovered = isCovered && isOffered
        }
        return isCovered && count > 0
    }
}
