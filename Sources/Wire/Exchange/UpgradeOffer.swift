/// Remembers which protocols a request offers to speak instead of HTTP (RFC 9110 §7.8).
struct UpgradeOffer: Sendable {
    /// The fields of the request, shared and not copied; nil when it offers nothing.
    private let headers: HTTPHeaders?

    /// Offers nothing.
    static let nothing = UpgradeOffer(headers: nil)

    private init(headers: HTTPHeaders?) {
        self.headers = headers
    }

    /// Reads the offer of a request.
    ///
    /// One of HTTP/1.0, or without `upgrade` in its Connection field, offers nothing: the standard
    /// has recipients ignore the field then.
    init(_ request: RequestHead) {
        let isOffer =
            request.headers.contains(.upgrade) && request.version >= .http11
            && request.headers.containsToken("upgrade", in: .connection)
        headers = isOffer ? request.headers : nil
    }

    /// Says whether all protocols that a 101 response chose were offered, and there is one.
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
