import HTTPClient
import Testing
import Wire

/// Tests when a stale response replaces a failure of the origin (RFC 5861 §4).
@Suite struct StaleIfErrorTests {
    /// RFC 5861 §4; nil stands for an error without a response.
    struct Failure: Sendable, CustomStringConvertible {
        let description: String
        let status: HTTPStatus?
        let request: [String]
        let mode: HTTPRequest.CacheMode
        let directives: String
        let age: Int
        let isUsed: Bool

        init(
            _ description: String,
            _ status: HTTPStatus?,
            request: String? = nil,
            mode: HTTPRequest.CacheMode = .default,
            _ directives: String = "max-age=100, stale-if-error=50",
            age: Int = 120,
            isUsed: Bool
        ) {
            self.description = description
            self.status = status
            self.request = request.map { [$0] } ?? []
            self.mode = mode
            self.directives = directives
            self.age = age
            self.isUsed = isUsed
        }
    }

    private static let failures: [Failure] = [
        Failure("error", nil, isUsed: true), Failure("500", 500, isUsed: true),
        Failure("502", 502, isUsed: true),
        Failure("503", 503, isUsed: true), Failure("504", 504, isUsed: true),
        Failure("501", 501, isUsed: false),
        Failure("505", 505, isUsed: false), Failure("404", 404, isUsed: false),
        Failure("200", 200, isUsed: false),
        Failure("end of the window", 500, age: 150, isUsed: true),
        Failure("after the window", 500, age: 151, isUsed: false),
        Failure("fresh", 500, age: 10, isUsed: true),
        Failure("no window", 500, "max-age=100", isUsed: false),
        Failure("window of zero", 500, "max-age=100, stale-if-error=0", age: 100, isUsed: false),
        Failure(
            "window of the request",
            500,
            request: "Cache-Control: stale-if-error=30",
            "max-age=100",
            isUsed: true
        ),
        Failure(
            "after the window of the request",
            500,
            request: "Cache-Control: stale-if-error=10",
            "max-age=100",
            isUsed: false
        ),
        Failure(
            "larger window of the request",
            500,
            request: "Cache-Control: stale-if-error=900",
            age: 900,
            isUsed: true
        ),
        Failure(
            "must-revalidate",
            500,
            "max-age=100, stale-if-error=50, must-revalidate",
            isUsed: false
        ),
        Failure("no-cache", 500, "max-age=100, stale-if-error=50, no-cache", isUsed: false),
        Failure("no-cache of the request", 500, request: "Cache-Control: no-cache", isUsed: false),
        Failure("no-store of the request", 500, request: "Cache-Control: no-store", isUsed: false),
        Failure("noCache", 500, mode: .noCache, isUsed: false),
        Failure("reload", 500, mode: .reload, isUsed: false),
        Failure("clock set back", 500, age: -1, isUsed: false),
    ]

    @Test(arguments: failures)
    func `a stale response replaces a failure if it may`(row: Failure) {
        let reuse = CacheRules.reuse(
            after: row.status.map { .status($0) } ?? .noResponse,
            of: CacheHeads.request(.get, row.request),
            mode: row.mode,
            among: [CacheHeads.stored(["Cache-Control: \(row.directives)", "ETag: \"a\""])],
            at: CacheHeads.date(1000 + row.age)
        )
        #expect((reuse != nil) == row.isUsed)
        #expect(
            reuse == nil || reuse?.index == 0 && reuse?.age == row.age && reuse?.content == .whole
        )
    }
}
