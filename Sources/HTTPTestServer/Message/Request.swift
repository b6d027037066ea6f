extension HTTPTestServer {
    /// A request as received, including its body and trailers.
    public struct Request: Sendable, Hashable {
        /// The method.
        public let method: HTTPMethod

        /// The request target exactly as it was sent, such as `/users?page=2`.
        public let target: String

        /// The header fields; order, case and repeats as received.
        public let headers: HTTPHeaders

        /// The content, without chunk framing but with its content coding; empty if there is none.
        public internal(set) var body: [UInt8]

        /// The trailer fields of a chunked body; usually empty.
        public let trailers: HTTPHeaders

        /// The number of the request's connection; 1 is the first that the server accepted.
        public let connection: Int

        /// The values of the route's segments in braces, percent-decoded; empty without a route.
        public internal(set) var parameters: [String: String] = [:]

        /// The target up to the query, not decoded.
        public var path: String {
            String(target.prefix { $0 != "?" })
        }

        /// The part of the target after the first `?`, not decoded; nil if there is none.
        public var query: String? {
            target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
        }

        /// The query items in order, decoded (RFC 3986, and `+` for a space).
        ///
        /// Empty without a query.
        public var queryItems: [(name: String, value: String)] {
            parameters(ofQuery: query ?? "")
        }

        /// The body as UTF-8 text, where invalid bytes become U+FFFD.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }
}

extension HTTPTestServer.Request: CustomStringConvertible, CustomReflectable {
    /// Method, target and size, such as `GET /a?token=***, 0 bytes`.
    public var description: String {
        "\(LogText.line(method.rawValue)) \(LogText.url(target)), \(body.count) bytes"
    }

    /// The parts of the request, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "request": description, "headers": headers, "trailers": trailers,
                "connection": connection,
            ]
        )
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
