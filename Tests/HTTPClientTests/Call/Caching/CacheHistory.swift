import HTTPClient
import Support
import Wire

/// A list of requests to one origin, with changes of the clock and of the origin between them.
struct CacheHistory: Sendable {
    /// One step.
    enum Step: Sendable {
        case call(CacheCall)
        /// The wall clock moves by this number of seconds, which can be negative.
        case clock(Int)
        /// The origin answers requests for a path in another way.
        case origin(path: Int, OriginTerms)
    }

    var steps: [Step]
}

/// A request of a history.
struct CacheCall: Sendable {
    /// The way in which the caller reads the body.
    enum Delivery: Sendable {
        case collected
        case streamed
        /// The caller reads a piece and cancels; the origin does not send the rest before that.
        case dropped
    }

    /// The client; both have the same cache.
    var client = 0
    var path = 0
    var method = HTTPMethod.get
    var mode = HTTPRequest.CacheMode.default
    var control = RequestControl()
    var language: String?
    var user: String?
    var range: ClosedRange<Int>?
    var delivery = Delivery.collected
}

/// The directives of a request.
struct RequestControl: Sendable {
    var maxAge: Int?
    /// The accepted staleness; `Int.max` for the directive without a number.
    var maxStale: Int?
    var minFresh: Int?
    var staleIfError: Int?
    var isNoCache = false
    var isNoStore = false
    var isOnlyIfCached = false

    /// The value of Cache-Control; empty without directives.
    var text: String {
        var words: [String] = []
        if let maxAge { words.append("max-age=\(maxAge)") }
        if let maxStale { words.append(maxStale == .max ? "max-stale" : "max-stale=\(maxStale)") }
        if let minFresh { words.append("min-fresh=\(minFresh)") }
        if let staleIfError { words.append("stale-if-error=\(staleIfError)") }
        if isNoCache { words.append("no-cache") }
        if isNoStore { words.append("no-store") }
        if isOnlyIfCached { words.append("only-if-cached") }
        return words.joined(separator: ", ")
    }
}

/// The directives of a response.
struct ResponseControl: Sendable {
    var maxAge: Int?
    var staleIfError: Int?
    var staleWhileRevalidate: Int?
    var isNoCache = false
    var isNoStore = false
    var isMustRevalidate = false
    var isPrivate = false
    var isPublic = false

    /// The value of Cache-Control; empty without directives.
    var text: String {
        var words: [String] = []
        if let maxAge { words.append("max-age=\(maxAge)") }
        if let staleIfError { words.append("stale-if-error=\(staleIfError)") }
        if let staleWhileRevalidate {
            words.append("stale-while-revalidate=\(staleWhileRevalidate)")
        }
        if isNoCache { words.append("no-cache") }
        if isNoStore { words.append("no-store") }
        if isMustRevalidate { words.append("must-revalidate") }
        if isPrivate { words.append("private") }
        if isPublic { words.append("public") }
        return words.joined(separator: ", ")
    }
}

/// The way in which the origin answers requests for one path.
struct OriginTerms: Sendable {
    enum Validator: Sendable { case none, strong, weak, date, strongAndDate }
    enum Vary: Sendable { case language, any }
    /// What the origin does instead of a whole answer.
    enum Fault: Sendable { case none, closed, cut }
    /// What the origin does with conditions; the last two are a 304 without and with a wrong validator.
    enum Conditions: Sendable { case evaluated, ignored, bare, wrong }

    var version = 0
    var validator = Validator.none
    var control = ResponseControl()
    /// The seconds from Date to Expires; nil without Expires.
    var expires: Int?
    var vary: Vary?
    /// The value of Age.
    var age: Int?
    /// The seconds from Date to the time of the answer.
    var delay = 0
    var status = 200
    var fault = Fault.none
    var conditions = Conditions.evaluated
    var isChunked = false
    var setsCookie = false
    var hasRanges = false
}

// MARK: - Text

extension CacheHistory.Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .call(let call): call.description
        case .clock(let seconds): "clock \(seconds)"
        case .origin(let path, let terms): "origin /\(path): \(terms)"
        }
    }
}

extension CacheCall: CustomStringConvertible {
    var description: String {
        var words = ["\(method.rawValue) /\(path)"]
        if client > 0 { words.append("client \(client)") }
        if mode != .default { words.append("mode \(mode)") }
        if !control.text.isEmpty { words.append("Cache-Control: \(control.text)") }
        if let language { words.append("Accept-Language: \(language)") }
        if let user { words.append("Authorization: \(user)") }
        if let range { words.append("Range: \(range)") }
        if delivery != .collected { words.append("\(delivery)") }
        return words.joined(separator: "; ")
    }
}

extension OriginTerms: CustomStringConvertible {
    var description: String {
        var words = ["\(status) version \(version)", "validator \(validator)"]
        if !control.text.isEmpty { words.append("Cache-Control: \(control.text)") }
        if let expires { words.append("Expires: \(expires)") }
        if let vary { words.append("Vary: \(vary)") }
        if let age { words.append("Age: \(age)") }
        if delay > 0 { words.append("Date: -\(delay)") }
        if fault != .none { words.append("\(fault)") }
        if conditions != .evaluated { words.append("conditions \(conditions)") }
        if isChunked { words.append("chunked") }
        if hasRanges { words.append("ranges") }
        return words.joined(separator: "; ")
    }
}

// MARK: - Generator

extension CacheHistory {
    /// Creates a random history; equal seeds give equal ones.
    init(seed: UInt64) {
        var generator = Generator(random: SeededGenerator(seed: seed))
        steps = generator.steps()
    }

    private struct Generator {
        var random: SeededGenerator
        private var paths = 1
        private var clients = 1
        private var version = 0

        init(random: SeededGenerator) { self.random = random }

        mutating func steps() -> [Step] {
            paths = pick([1, 1, 2, 3])
            clients = pick([1, 1, 2])
            var steps = (0..<paths).map { Step.origin(path: $0, terms()) }
            let count = Int.random(in: 5...30, using: &random)
            while steps.count < count + paths {
                switch Int.random(in: 0..<100, using: &random) {
                case ..<58: steps.append(.call(call()))
                case ..<80: steps.append(.clock(seconds()))
                default:
                    let path = Int.random(in: 0..<paths, using: &random)
                    steps.append(.origin(path: path, terms()))
                }
            }
            return steps
        }

        private mutating func call() -> CacheCall {
            var call = CacheCall()
            call.client = Int.random(in: 0..<clients, using: &random)
            call.path = Int.random(in: 0..<paths, using: &random)
            if chance(15) { call.method = pick([.head, .head, .post, .delete]) }
            if chance(25) {
                call.mode = pick([.noStore, .reload, .noCache, .forceCache, .onlyIfCached])
            }
            if chance(25) { call.control = control() }
            if chance(30) { call.language = pick(["de", "en"]) }
            if chance(25) { call.user = pick(["a", "b"]) }
            if chance(10) { call.range = pick([3...9, 1000...1001]) }
            if chance(35) { call.delivery = pick([.streamed, .streamed, .dropped]) }
            return call
        }

        private mutating func control() -> RequestControl {
            var control = RequestControl()
            for _ in 0..<pick([1, 1, 2]) {
                switch Int.random(in: 0..<7, using: &random) {
                case 0: control.maxAge = pick(Self.times)
                case 1: control.maxStale = pick([.max, 0, 5, 10, 60])
                case 2: control.minFresh = pick(Self.times)
                case 3: control.staleIfError = pick(Self.times)
                case 4: control.isNoCache = true
                case 5: control.isNoStore = true
                default: control.isOnlyIfCached = true
                }
            }
            return control
        }

        private mutating func terms() -> OriginTerms {
            var terms = OriginTerms()
            if chance(60) { version += 1 }
            terms.version = version
            terms.validator = pick([.none, .strong, .strong, .weak, .date, .strongAndDate])
            if chance(75) { terms.control.maxAge = pick(Self.times) }
            if chance(12) { terms.expires = pick([-5, 0, 5, 30, 60]) }
            if chance(15) { terms.control.staleIfError = pick(Self.times) }
            if chance(15) { terms.control.staleWhileRevalidate = pick(Self.times) }
            if chance(8) { terms.control.isNoCache = true }
            if chance(6) { terms.control.isNoStore = true }
            if chance(12) { terms.control.isMustRevalidate = true }
            if chance(12) { terms.control.isPrivate = true }
            if chance(12) { terms.control.isPublic = true }
            if chance(25) { terms.vary = pick([.language, .language, .language, .any]) }
            if chance(10) { terms.age = pick([0, 3, 5, 30]) }
            if chance(10) { terms.delay = pick([1, 4, 10]) }
            if chance(25) { terms.status = pick([301, 302, 404, 500, 503]) }
            if chance(10) {
                terms.fault = pick([.closed, .cut])
            } else if chance(20) {
                terms.conditions = pick([.ignored, .bare, .wrong])
            }
            terms.isChunked = chance(25)
            terms.setsCookie = chance(5)
            terms.hasRanges = chance(30)
            return terms
        }

        /// Sums of these times are often equal to others of them, so that limits are reached exactly.
        private static let times = [0, 5, 10, 30, 60, 100]

        private mutating func seconds() -> Int {
            if chance(5) { return pick([-1, -10, -100]) }
            return chance(70)
                ? pick([1, 5, 5, 10, 20, 30, 60]) : Int.random(in: 0...200, using: &random)
        }

        private mutating func chance(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &random) < percent
        }

        private mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
    }
}
