import HTTPClient
import HTTPClientTesting
import Synchronization
import fetch

/// An observer that records the head of a request.
final class SentHead: HTTPObserver {
    private let head = Mutex<RequestHead?>(nil)

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        if case .sending(let sent) = step { head.withLock { $0 = sent } }
    }

    /// Sends the request of a plan to a URL, as the program does, and returns the lines of its head.
    static func lines(
        _ plan: RequestPlan,
        _ url: TargetURL,
        resumePoint: ResumePoint? = nil,
        isDecoded: Bool = true
    ) async throws -> [String] {
        let sent = SentHead()
        var configuration = HTTPClient.Configuration()
        configuration.headers = [:]
        configuration.decompression = .off
        configuration.observers = [sent]
        configuration.stubs = HTTPStubs { HTTPStub(.host("a"), answer: .text("")) }
        _ = try await HTTPClient(configuration).send(
            plan.request(for: url, resumePoint: resumePoint, isDecoded: isDecoded)
        )
        guard let head = sent.head.withLock({ $0 }) else { return [] }
        return ["\(head.method.rawValue) \(head.target.text) \(head.version)"]
            + head.headers.map { "\($0.name): \($0.value)" }
    }
}
