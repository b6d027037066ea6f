import HTTPClient
import Testing
import Wire

/// Tests when a stored response answers a request (RFC 9111 §4, §5.2; RFC 5861).
@Suite struct CacheDecisionTests {
    /// A decision without the parts that other tests cover.
    enum Outcome: Sendable, Hashable {
        case fresh(age: Int)
        case stale(age: Int, CacheStaleReason)
        case revalidate(CacheRevalidationReason)
        case fetch(CacheFetchReason)
        case unavailable(CacheFetchReason)

        init(_ decision: CacheDecision) {
            switch decision {
            case .fresh(let reuse): self = .fresh(age: reuse.age)
            case .stale(let reuse, let reason): self = .stale(age: reuse.age, reason)
            case .revalidate(let revalidation): self = .revalidate(revalidation.reason)
            case .fetch(let reason): self = .fetch(reason)
            case .unavailable(let reason): self = .unavailable(reason)
            }
        }
    }

    /// The response is received at second 1000 and has an entity tag.
    struct Row: Sendable, CustomStringConvertible {
        let description: String
        let method: HTTPMethod
        let request: [String]
        let mode: HTTPRequest.CacheMode
        let response: [String]
        let age: Int
        let outcome: Outcome

        init(
            _ description: String,
            method: HTTPMethod = .get,
            request: String? = nil,
            mode: HTTPRequest.CacheMode = .default,
            _ directives: String = "max-age=100",
            age: Int,
            _ outcome: Outcome
        ) {
            self.description = description
            self.method = method
            self.request = request.map { [$0] } ?? []
            self.mode = mode
            response = ["Cache-Control: \(directives)", "ETag: \"a\""]
            self.age = age
            self.outcome = outcome
        }
    }

    /// RFC 9111 §4, §5.2.2.
    private static let responses: [Row] = [
        Row("fresh", age: 10, .fresh(age: 10)), Row("fresh at once", age: 0, .fresh(age: 0)),
        Row("last fresh second", age: 99, .fresh(age: 99)),
        Row("stale", age: 100, .revalidate(.stale)),
        Row("stale for long", age: 9000, .revalidate(.stale)),
        Row("clock set back", age: -1, .revalidate(.stale)),
        Row("no-cache", "no-cache, max-age=100", age: 10, .revalidate(.responseNoCache)),
        Row("no-cache without max-age", "no-cache", age: 0, .revalidate(.responseNoCache)),
        Row("no-cache of fields", "no-cache=\"a\", max-age=100", age: 10, .fresh(age: 10)),
        Row(
            "no-cache of fields, then of all",
            "no-cache=\"a\", no-cache, max-age=100",
            age: 10,
            .revalidate(.responseNoCache)
        ),
        Row(
            "no-cache with an empty list",
            "no-cache=\"\", max-age=100",
            age: 10,
            .revalidate(.responseNoCache)
        ),
        Row(
            "no-cache with a malformed list",
            "no-cache=\"a b\", max-age=100",
            age: 10,
            .revalidate(.responseNoCache)
        ),
        Row("must-revalidate and fresh", "must-revalidate, max-age=100", age: 10, .fresh(age: 10)),
        Row(
            "must-revalidate and stale",
            "must-revalidate, max-age=100",
            age: 100,
            .revalidate(.stale)
        ),
        Row(
            "proxy-revalidate and stale",
            request: "Cache-Control: max-stale",
            "proxy-revalidate, max-age=100",
            age: 110,
            .stale(age: 110, .requestMaxStale)
        ),
        Row("immutable and fresh", "immutable, max-age=100", age: 10, .fresh(age: 10)),
        Row("immutable and stale", "immutable, max-age=100", age: 100, .revalidate(.stale)),
        Row(
            "immutable under noCache",
            mode: .noCache,
            "immutable, max-age=100",
            age: 10,
            .revalidate(.mode)
        ),
        Row(
            "immutable under max-age=0",
            request: "Cache-Control: max-age=0",
            "immutable, max-age=100",
            age: 10,
            .revalidate(.requestMaxAge)
        ),
        Row("s-maxage does not extend", "max-age=100, s-maxage=900", age: 100, .revalidate(.stale)),
        Row("s-maxage does not shorten", "max-age=100, s-maxage=0", age: 10, .fresh(age: 10)),
        Row("private", "private, max-age=100", age: 10, .fresh(age: 10)),
    ]

    /// RFC 9111 §5.2.1, §5.4.
    private static let requests: [Row] = [
        Row(
            "max-age above the age",
            request: "Cache-Control: max-age=20",
            age: 10,
            .fresh(age: 10)
        ),
        Row(
            "max-age equal to the age",
            request: "Cache-Control: max-age=10",
            age: 10,
            .fresh(age: 10)
        ),
        Row(
            "max-age below the age",
            request: "Cache-Control: max-age=9",
            age: 10,
            .revalidate(.requestMaxAge)
        ),
        Row("max-age=0 at once", request: "Cache-Control: max-age=0", age: 0, .fresh(age: 0)),
        Row(
            "max-age=0 a second later",
            request: "Cache-Control: max-age=0",
            age: 1,
            .revalidate(.requestMaxAge)
        ),
        Row(
            "malformed max-age",
            request: "Cache-Control: max-age=x",
            age: 10,
            .revalidate(.requestMaxAge)
        ),
        Row(
            "huge max-age does not extend",
            request: "Cache-Control: max-age=99999999999",
            age: 100,
            .revalidate(.stale)
        ),
        Row(
            "max-stale without a value",
            request: "Cache-Control: max-stale",
            age: 9000,
            .stale(age: 9000, .requestMaxStale)
        ),
        Row(
            "max-stale while fresh",
            request: "Cache-Control: max-stale=5",
            age: 10,
            .fresh(age: 10)
        ),
        Row(
            "max-stale equal to the staleness",
            request: "Cache-Control: max-stale=5",
            age: 105,
            .stale(age: 105, .requestMaxStale)
        ),
        Row(
            "max-stale below the staleness",
            request: "Cache-Control: max-stale=5",
            age: 106,
            .revalidate(.stale)
        ),
        Row(
            "max-stale at the end of the lifetime",
            request: "Cache-Control: max-stale=0",
            age: 100,
            .stale(age: 100, .requestMaxStale)
        ),
        Row(
            "malformed max-stale",
            request: "Cache-Control: max-stale=x",
            age: 101,
            .revalidate(.stale)
        ),
        Row(
            "max-stale after the clock was set back",
            request: "Cache-Control: max-stale=5",
            age: -9,
            .revalidate(.stale)
        ),
        Row(
            "any max-stale after the clock was set back",
            request: "Cache-Control: max-stale",
            age: -9,
            .stale(age: 0, .requestMaxStale)
        ),
        Row(
            "max-stale and must-revalidate",
            request: "Cache-Control: max-stale",
            "must-revalidate, max-age=100",
            age: 101,
            .revalidate(.stale)
        ),
        Row(
            "max-stale and no-cache",
            request: "Cache-Control: max-stale",
            "no-cache, max-age=100",
            age: 101,
            .revalidate(.responseNoCache)
        ),
        Row(
            "max-stale with a larger max-age",
            request: "Cache-Control: max-stale, max-age=200",
            age: 150,
            .stale(age: 150, .requestMaxStale)
        ),
        Row(
            "max-stale with a smaller max-age",
            request: "Cache-Control: max-stale, max-age=120",
            age: 150,
            .revalidate(.requestMaxAge)
        ),
        Row(
            "min-fresh below the rest",
            request: "Cache-Control: min-fresh=89",
            age: 10,
            .fresh(age: 10)
        ),
        Row(
            "min-fresh equal to the rest",
            request: "Cache-Control: min-fresh=90",
            age: 10,
            .fresh(age: 10)
        ),
        Row(
            "min-fresh above the rest",
            request: "Cache-Control: min-fresh=91",
            age: 10,
            .revalidate(.requestMinFresh)
        ),
        Row(
            "min-fresh and stale",
            request: "Cache-Control: min-fresh=1, max-stale",
            age: 100,
            .revalidate(.stale)
        ),
        Row("no-cache", request: "Cache-Control: no-cache", age: 10, .revalidate(.requestNoCache)),
        Row(
            "no-cache and max-stale",
            request: "Cache-Control: no-cache, max-stale",
            age: 200,
            .revalidate(.requestNoCache)
        ),
        Row("no-store", request: "Cache-Control: no-store", age: 10, .fetch(.requestNoStore)),
        Row("Pragma", request: "Pragma: no-cache", age: 10, .revalidate(.requestNoCache)),
        Row(
            "Pragma in a list",
            request: "Pragma: a, No-Cache",
            age: 10,
            .revalidate(.requestNoCache)
        ),
        Row("another Pragma", request: "Pragma: a", age: 10, .fresh(age: 10)),
        Row(
            "only-if-cached and fresh",
            request: "Cache-Control: only-if-cached",
            age: 10,
            .fresh(age: 10)
        ),
        Row(
            "only-if-cached and stale",
            request: "Cache-Control: only-if-cached",
            age: 100,
            .unavailable(.notUsable(.stale))
        ),
        Row(
            "only-if-cached and max-stale",
            request: "Cache-Control: only-if-cached, max-stale",
            age: 110,
            .stale(age: 110, .requestMaxStale)
        ),
        Row(
            "only-if-cached and no-cache",
            request: "Cache-Control: only-if-cached, no-cache",
            age: 10,
            .unavailable(.notUsable(.requestNoCache))
        ),
        Row("HEAD", method: .head, age: 10, .fresh(age: 10)),
        Row("stale HEAD", method: .head, age: 100, .revalidate(.stale)),
        Row("POST", method: .post, age: 10, .fetch(.method)),
        Row("QUERY", method: "QUERY", age: 10, .fetch(.method)),
        Row(
            "POST and only-if-cached",
            method: .post,
            request: "Cache-Control: only-if-cached",
            age: 10,
            .unavailable(.method)
        ),
        Row("content", request: "Content-Length: 3", age: 10, .fetch(.requestContent)),
        Row("If-None-Match of the caller", request: "If-None-Match: \"a\"", age: 10, .fetch(.mode)),
        Row(
            "If-Modified-Since of the caller",
            request: "If-Modified-Since: @0",
            age: 10,
            .fetch(.mode)
        ),
    ]

    /// The Fetch standard.
    private static let modes: [Row] = [
        Row("noStore", mode: .noStore, age: 10, .fetch(.mode)),
        Row("reload", mode: .reload, age: 10, .fetch(.mode)),
        Row("noCache", mode: .noCache, age: 0, .revalidate(.mode)),
        Row("noCache and stale", mode: .noCache, age: 200, .revalidate(.mode)),
        Row(
            "noCache and max-stale",
            request: "Cache-Control: max-stale",
            mode: .noCache,
            age: 200,
            .revalidate(.mode)
        ),
        Row("forceCache and fresh", mode: .forceCache, age: 10, .fresh(age: 10)),
        Row("forceCache and stale", mode: .forceCache, age: 9000, .stale(age: 9000, .mode)),
        Row("forceCache and clock set back", mode: .forceCache, age: -5, .stale(age: 0, .mode)),
        Row(
            "forceCache and no-cache of the request",
            request: "Cache-Control: no-cache",
            mode: .forceCache,
            age: 10,
            .fresh(age: 10)
        ),
        Row(
            "forceCache and max-age=0",
            request: "Cache-Control: max-age=0",
            mode: .forceCache,
            age: 10,
            .fresh(age: 10)
        ),
        Row(
            "forceCache and no-store of the request",
            request: "Cache-Control: no-store",
            mode: .forceCache,
            age: 10,
            .fetch(.requestNoStore)
        ),
        Row(
            "forceCache and must-revalidate",
            mode: .forceCache,
            "must-revalidate, max-age=100",
            age: 100,
            .revalidate(.stale)
        ),
        Row(
            "forceCache and no-cache",
            mode: .forceCache,
            "no-cache, max-age=100",
            age: 10,
            .revalidate(.responseNoCache)
        ),
        Row("onlyIfCached and fresh", mode: .onlyIfCached, age: 10, .fresh(age: 10)),
        Row("onlyIfCached and stale", mode: .onlyIfCached, age: 9000, .stale(age: 9000, .mode)),
        Row(
            "onlyIfCached and must-revalidate",
            mode: .onlyIfCached,
            "must-revalidate, max-age=100",
            age: 100,
            .unavailable(.notUsable(.stale))
        ),
        Row(
            "onlyIfCached and no-cache",
            mode: .onlyIfCached,
            "no-cache, max-age=100",
            age: 10,
            .unavailable(.notUsable(.responseNoCache))
        ),
        Row(
            "only-if-cached and reload",
            request: "Cache-Control: only-if-cached",
            mode: .reload,
            age: 10,
            .unavailable(.mode)
        ),
    ]

    /// RFC 5861 §3.
    private static let background: [Row] = [
        Row(
            "in the window",
            "max-age=100, stale-while-revalidate=50",
            age: 120,
            .stale(age: 120, .whileRevalidating)
        ),
        Row(
            "at the end of the window",
            "max-age=100, stale-while-revalidate=50",
            age: 150,
            .stale(age: 150, .whileRevalidating)
        ),
        Row(
            "after the window",
            "max-age=100, stale-while-revalidate=50",
            age: 151,
            .revalidate(.stale)
        ),
        Row("while fresh", "max-age=100, stale-while-revalidate=50", age: 99, .fresh(age: 99)),
        Row(
            "window of zero",
            "max-age=100, stale-while-revalidate=0",
            age: 100,
            .revalidate(.stale)
        ),
        Row(
            "malformed window",
            "max-age=100, stale-while-revalidate=x",
            age: 101,
            .revalidate(.stale)
        ),
        Row(
            "window and must-revalidate",
            "max-age=100, stale-while-revalidate=50, must-revalidate",
            age: 120,
            .revalidate(.stale)
        ),
        Row(
            "window and no-cache",
            "max-age=100, stale-while-revalidate=50, no-cache",
            age: 120,
            .revalidate(.responseNoCache)
        ),
        Row(
            "window and max-age of the request",
            request: "Cache-Control: max-age=500",
            "max-age=100, stale-while-revalidate=50",
            age: 120,
            .revalidate(.stale)
        ),
        Row(
            "window and smaller max-stale",
            request: "Cache-Control: max-stale=5",
            "max-age=100, stale-while-revalidate=50",
            age: 120,
            .revalidate(.stale)
        ),
        Row(
            "window and min-fresh",
            request: "Cache-Control: min-fresh=1",
            "max-age=100, stale-while-revalidate=50",
            age: 120,
            .revalidate(.stale)
        ),
        Row(
            "window and clock set back",
            "max-age=100, stale-while-revalidate=50",
            age: -1,
            .revalidate(.stale)
        ),
        Row(
            "window and noCache",
            mode: .noCache,
            "max-age=100, stale-while-revalidate=50",
            age: 120,
            .revalidate(.mode)
        ),
    ]

    @Test(arguments: responses + requests + modes + background)
    func `a stored response is used as both sides permit`(row: Row) {
        let decision = CacheRules.decision(
            on: CacheHeads.request(row.method, row.request),
            mode: row.mode,
            among: [CacheHeads.stored(row.response)],
            at: CacheHeads.date(1000 + row.age)
        )
        #expect(Outcome(decision) == row.outcome)
    }
}
