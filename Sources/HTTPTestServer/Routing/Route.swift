/// Answers requests of one method and a pattern of paths.
struct Route: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case parameter(String)
    }

    private let method: HTTPMethod?
    private let segments: [Segment]
    /// Whether anything may follow.
    private let isOpen: Bool
    let answer: HTTPTestServer.Answer

    /// Makes a route; without a method for any, and a last segment `*` stands for any number of them.
    init(_ method: HTTPMethod?, _ pattern: String, _ answer: @escaping HTTPTestServer.Answer) {
        self.method = method
        self.answer = answer
        var parts = Self.rooted(pattern).split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst()
        isOpen = parts.last == "*"
        if isOpen { parts.removeLast() }
        segments = parts.map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// Returns a path, perhaps with a method before it, with the slash that every path of a request
    /// begins with.
    static func rooted(_ pattern: String) -> String {
        let start = pattern.firstIndex(of: " ").map { pattern.index(after: $0) }
        let path = pattern[(start ?? pattern.startIndex)...]
        guard !path.hasPrefix("/") else { return pattern }
        return "\(pattern[..<path.startIndex])/\(path)"
    }

    /// Finds the parameters of a request that is meant; nil for any other.
    func parameters(of request: HTTPTestServer.Request) -> [String: String]? {
        guard method == nil || method == request.method else { return nil }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard isOpen ? parts.count >= segments.count : parts.count == segments.count else {
            return nil
        }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(parts, segments) {
            switch segment {
            case .literal(let text): guard part == text else { return nil }
            case .parameter(let name):
                guard !part.isEmpty else { return nil }
                let octets = PercentCoding.decode(String(part))
                parameters[name] = String(decoding: octets, as: UTF8.self)
            }
        }
        return parameters
    }
}
