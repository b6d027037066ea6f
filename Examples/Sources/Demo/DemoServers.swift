import HTTPTestServer

/// The two servers of the demo, which send the same responses.
struct DemoServers: Sendable {
    let plain: HTTPTestServer
    let secure: HTTPTestServer

    init() async throws {
        plain = try await HTTPTestServer.start(Self.answer)
        secure = try await HTTPTestServer.start(tls: .selfIssued, Self.answer)
    }

    static let story = String(repeating: "Once upon a time. ", count: 40)
    static let verses = ["Fire burns", "and cauldron", "bubbles"]

    @Sendable private static func answer(
        _ request: HTTPTestServer.Request
    ) async throws -> HTTPTestServer.Response {
        switch request.path {
        case "/user": .json(#"{"name": "Ada", "languages": ["Swift", "C"]}"#)
        case "/gzip": .text(story).gzipped()
        case "/stream": .chunks(verses, every: .milliseconds(120))
        case "/stall": .stall
        default: .echo(request)
        }
    }
}
