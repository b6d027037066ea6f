extension HTTPTestServer {
    /// Holds a request as it was received, body and trailers included.
    public struct Request: Sendable, Hashable {
        /// The method.
        public let method: HTTPMethod

        /// The request target exactly as it was sent, such as `/users?page=2`.
        public let target: String

        /// The field section; order, case and repeats as received.
        public let headers: HTTPHeaders

        /// The content, without its chunks but with its content coding; empty when there is none.
        public internal(set) var body: [UInt8]

        /// Fields that came after a chunked body; mostly empty.
        public let trailers: HTTPHeaders

        /// Which connection it came on; 1 is the first that the server accepted.
        public let connection: Int

        /// What the segments in braces of the route's path stand for, decoded; empty without a route.
        public internal(set) var parameters: [String: String] = [:]

        /// The target up to the query, not decoded.
        public var path: String {
            String(target.prefix { $0 != "?" })
        }

        /// What follows the first `?` of the target, not decoded; nil when there is none.
        public var query: String? {
            target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
        }

        /// The items of the query in order, decoded (RFC 3986, and `+` for a space); empty without one.
        public var queryItems: [(name: String, value: String)] {
            parameters(ofQuery: query ?? "")
        }

        /// The body as text: UTF-8, where bytes that are no UTF-8 become U+FFFD.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }
}

extension HTTPTestServer.Request {
    func parameters(ofQuery query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = String(text.map { $0 == "+" ? " " : $0 })
        return String(decoding: PercentCoding.decode(spaced), as: UTF8.self)
    }
}
