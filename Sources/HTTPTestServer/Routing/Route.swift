/// A handler for requests that match a method and a path pattern.
struct Route: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case parameter(String)
    }

    private let method: HTTPMethod?
    private let segments: [Segment]
    /// Whether more segments may follow.
    private let allowsSuffix: Bool
    let handler: HTTPTestServer.Handler

    /// Creates a route; nil matches any method, a last segment `*` any number of segments.
    init(_ method: HTTPMethod?, _ pattern: String, _ handler: @escaping HTTPTestServer.Handler) {
        self.method = method
        self.handler = handler
        var parts = Self.withLeadingSlash(pattern).split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        .dropFirst()
        allowsSuffix = parts.last == "*"
        if allowsSuffix { parts.removeLast() }
        segments = parts.map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// Returns a path pattern, with or without a method before it, with a leading slash.
    static func withLeadingSlash(_ pattern: String) -> String {
        let start = pattern.firstIndex(of: " ").map { pattern.index(after: $0) }
        let path = pattern[(start ?? pattern.startIndex)...]
        guard !path.hasPrefix("/") else { return pattern }
        return "\(pattern[..<path.startIndex])/\(path)"
    }

    /// Returns the parameters of a request that matches; nil for any other request.
    func parameters(of request: HTTPTestServer.Request) -> [String: String]? {
        guard method == nil || method == request.method else { return nil }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard allowsSuffix ? parts.count >= segments.count : parts.count == segments.count else {
            return nil
        }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(parts, segments) {
            switch segment {
            case .literal(let text): guard part == text else { return nil }
            case .parameter(let name):
                guard !part.isEmpty else { return nil }
                let bytes = PercentCoding.decode(String(part))
                parameters[name] = String(decoding: bytes, as: UTF8.self)
            }
        }
        return parameters
    }
}
