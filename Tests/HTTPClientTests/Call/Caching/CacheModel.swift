import HTTPClient
import Support

/// A simple private cache, written from RFC 9111 and RFC 5861 without the rules of the client.
///
/// It says what the caller of a request must get, and which requests the origin must get.
struct CacheModel {
    typealias Answer = HistoryOrigin.Answer
    typealias Exchange = HistoryOrigin.Exchange
    typealias Fields = HistoryOrigin.Fields

    /// What a call has returned, and what the origin got.
    struct Observation: Sendable {
        struct Response: Sendable {
            var status = 0
            var outcome = HTTPResponse.CacheStatus.Outcome.miss
            /// The value of Age.
            var age: Int?
            /// The number of the answer with the body.
            var serial: Int?
            /// The number of the last 304 or answer to a HEAD whose fields the response has.
            var update: Int?
            var body: [UInt8] = []
            /// Whether the whole body was read.
            var isWhole = true
        }

        /// The response; nil if the call has thrown an error.
        var response: Response?
        var exchanges: [Exchange]
    }

    struct Violation: Error {
        let text: String
    }

    /// A request field that must be equal to that of the first request.
    private enum Selector: Equatable {
        case any
        case only(String?)

        func matches(_ value: String?) -> Bool { self == .any || self == .only(value) }
    }

    /// A stored response.
    private struct Copy {
        let answer: Answer
        var fields: Fields
        var received: Int
        var update: Int?
        var language: Selector
        var user: Selector

        var control: ResponseControl { fields.control ?? ResponseControl() }
        var hasValidator: Bool { fields.tag != nil || fields.changed != nil }
        /// Whether only the bytes 3 to 9 are stored.
        var isPart: Bool { answer.status == 206 }
        /// The validator that identifies the bytes; nil if there is none.
        var strongValidator: String? {
            if let tag = fields.tag { return tag.hasPrefix("W/") ? nil : tag }
            return fields.changed.flatMap { $0 < fields.date ? "\($0)" : nil }
        }

        init(_ answer: Answer, _ fields: Fields, _ update: Int?, _ call: CacheCall, at now: Int) {
            self.answer = answer
            self.fields = fields
            self.update = update
            received = now
            language = fields.vary == .language ? .only(call.language) : .any
            let control = fields.control ?? ResponseControl()
            let isForOneUser = control.isPrivate || call.user != nil && !control.isPublic
            user = isForOneUser ? .only(call.user) : .any
        }

        func age(at now: Int) -> Int {
            max(0, received - fields.date, fields.age ?? 0) + max(0, now - received)
        }

        /// Max-age, or Expires, or a tenth of the time since Last-Modified.
        var lifetime: Int {
            if let maxAge = control.maxAge { return maxAge }
            if let expires = fields.expires { return max(0, expires - fields.date) }
            guard let changed = fields.changed, isCacheable || control.isPublic else { return 0 }
            return max(0, fields.date - changed) / 10
        }

        /// Whether the status needs no permission.
        var isCacheable: Bool { [200, 206, 301, 404].contains(answer.status) }

        /// Whether the response is fresh; the age is unknown if the clock was set back.
        func isFresh(at now: Int) -> Bool { now >= received && age(at: now) < lifetime }

        func staleness(at now: Int) -> Int {
            now < received ? .max : max(0, age(at: now) - lifetime)
        }
    }

    private var copies: [Copy] = []

    // MARK: - Requests

    /// Checks a call, and learns from it.
    ///
    /// - Returns: the violation; nil if the observation is correct.
    mutating func violation(of call: CacheCall, _ seen: Observation, at now: Int) -> Violation? {
        var choices: [Copy?] = newest(for: call)
        if choices.isEmpty { choices = [nil] }
        var violation: Violation?
        // Any of several stored responses with equal times may answer.
        for choice in choices {
            var next = self
            do {
                try next.follow(call, seen, choice, at: now)
                self = next
                return nil
            } catch {
                violation = violation ?? error
            }
        }
        return violation
    }

    /// Returns the most recent stored responses that a request selects.
    private func newest(for call: CacheCall) -> [Copy] {
        let isReading =
            (call.method == .get || call.method == .head) && !call.control.isNoStore
            && call.mode != .noStore && call.mode != .reload
        guard isReading else { return [] }
        let matches = copies.filter { copy in
            isSelected(copy, by: call)
                // A part also shows that no byte of the other range exists.
                && (!copy.isPart || call.method == .get && call.range != nil)
        }
        let last = matches.map { ($0.fields.date, $0.received) }.max { $0 < $1 }
        return matches.filter { copy in
            last.map { $0 == (copy.fields.date, copy.received) } ?? false
        }
    }

    private func isSelected(_ copy: Copy, by call: CacheCall) -> Bool {
        copy.answer.path == call.path && copy.language.matches(call.language)
            && copy.user.matches(call.user)
    }

    /// How a stored response may be used.
    private enum Use {
        case fresh
        case stale
        case whileRevalidating
        case afterValidation
    }

    private func use(of copy: Copy, _ call: CacheCall, at now: Int) -> Use {
        let request = call.control
        let isFresh = copy.isFresh(at: now)
        if copy.control.isNoCache || call.mode == .noCache { return .afterValidation }
        if !isFresh, copy.control.isMustRevalidate { return .afterValidation }
        if call.mode == .forceCache || call.mode == .onlyIfCached {
            return isFresh ? .fresh : .stale
        }
        if request.isNoCache { return .afterValidation }
        if let maxAge = request.maxAge, copy.age(at: now) > maxAge { return .afterValidation }
        let minFresh = request.minFresh ?? 0
        if isFresh {
            return copy.lifetime - copy.age(at: now) >= minFresh ? .fresh : .afterValidation
        }
        guard minFresh == 0 else { return .afterValidation }
        let staleness = copy.staleness(at: now)
        if let maxStale = request.maxStale {
            return staleness <= maxStale ? .stale : .afterValidation
        }
        let window = copy.control.staleWhileRevalidate ?? 0
        return request.maxAge == nil && window > 0 && staleness <= window
            ? .whileRevalidating : .afterValidation
    }

    private mutating func follow(
        _ call: CacheCall,
        _ seen: Observation,
        _ copy: Copy?,
        at now: Int
    ) throws(Violation) {
        let isOnlyCached = call.mode == .onlyIfCached || call.control.isOnlyIfCached
        switch copy.map({ use(of: $0, call, at: now) }) {
        case .fresh?:
            try expect(
                seen.exchanges.isEmpty,
                "a fresh response is stored, but the origin was asked"
            )
            try expectStored(copy, call, seen, .hit, at: now)
        case .stale?:
            try expect(
                seen.exchanges.isEmpty,
                "a stale response may be used, but the origin was asked"
            )
            try expectStored(copy, call, seen, .staleHit, at: now)
        case .whileRevalidating?:
            try expectStored(copy, call, seen, .staleHit, at: now)
            if isOnlyCached {
                return try expect(
                    seen.exchanges.isEmpty,
                    "the background asks the origin against the request"
                )
            }
            var background = call
            background.mode = .noCache
            background.delivery = .collected
            _ = try ask(background, copy, seen.exchanges, at: now)
        case .afterValidation? where isOnlyCached, nil where isOnlyCached:
            try expect(
                seen.exchanges.isEmpty,
                "only the cache may answer, but the origin was asked"
            )
            try expect(seen.response?.status == 504, "no response is usable, so the status is 504")
            try expect(seen.response?.outcome == .unavailable, "the outcome is unavailable")
        case .afterValidation?, nil:
            try expectAnswer(ask(call, copy, seen.exchanges, at: now), copy, call, seen, at: now)
        }
    }

    // MARK: - The origin

    /// The result of a request to the origin.
    private enum Result {
        case confirmed(Copy)
        case answered(Answer)
        case failed
    }

    /// Checks the requests to the origin, and learns from its answers.
    private mutating func ask(
        _ call: CacheCall,
        _ copy: Copy?,
        _ exchanges: [Exchange],
        at now: Int
    ) throws(Violation) -> Result {
        guard let first = exchanges.first else {
            throw Violation(text: "the origin must be asked")
        }
        try expect(first.method == call.method, "the method is that of the caller")
        try expect(
            first.tag == copy?.fields.tag && first.changed == copy?.fields.changed,
            "the conditions are the stored validators"
        )
        guard let answer = first.answer else {
            try expect(exchanges.count == 1, "one request fails")
            return .failed
        }
        if answer.status == 304, let copy {
            let fields = answer.fields
            let isSame = fields.tag == nil ? true : fields.tag == copy.fields.tag
            if isSame,
                fields.changed == nil || fields.tag != nil || fields.changed == copy.fields.changed
            {
                try expect(exchanges.count == 1, "a 304 is enough")
                return .confirmed(update(copy, by: answer, call, at: now))
            }
            try expect(exchanges.count == 2, "a 304 for another response leads to a second request")
            try expect(
                exchanges[1].tag == nil && exchanges[1].changed == nil,
                "the second request has no conditions"
            )
            guard let second = exchanges[1].answer else { return .failed }
            learn(second, call, at: now)
            return .answered(second)
        }
        try expect(exchanges.count == 1, "one answer is enough")
        // A failure that a stored response replaces is not stored in its place.
        let isReplaced =
            copy.map { isFailure(answer) && mayReplaceFailure($0, call, at: now) } ?? false
        if !isReplaced { learn(answer, call, at: now) }
        return .answered(answer)
    }

    private mutating func learn(_ answer: Answer, _ call: CacheCall, at now: Int) {
        if call.method == .head { return learn(fromHead: answer, call, at: now) }
        guard call.method == .get else {
            guard 200..<400 ~= answer.status else { return }
            var paths = [call.path]
            if [301, 302].contains(answer.status) { paths.append(call.path + 1) }
            copies.removeAll { paths.contains($0.answer.path) }
            return
        }
        let control = answer.fields.control ?? ResponseControl()
        guard !answer.isCut, call.delivery != .dropped || answer.status >= 500,
            ![304, 416].contains(answer.status),
            call.mode != .noStore, !call.control.isNoStore,
            !control.isNoStore, answer.fields.vary != .any
        else { return }
        let copy = Copy(answer, answer.fields, nil, call, at: now)
        let isPermitted =
            control.isPublic || control.isPrivate || control.maxAge != nil
            || answer.fields.expires != nil || copy.isCacheable
        // A response that could never be used does not replace another one.
        let staleTimes = (control.staleIfError ?? 0) + (control.staleWhileRevalidate ?? 0)
        let isUsable = copy.hasValidator || !control.isNoCache && copy.lifetime + staleTimes > 0
        guard isPermitted, isUsable else { return }
        if copy.isPart {
            guard let validator = copy.strongValidator else { return }
            // A part of a stored whole adds nothing.
            let isKnown = copies.contains { old in
                old.answer.path == copy.answer.path && old.language == copy.language
                    && old.user == copy.user && old.answer.status == 200
                    && old.strongValidator == validator
                    && old.answer.body.count == copy.answer.body.count
            }
            if isKnown { return }
        }
        put(copy)
    }

    private mutating func put(_ copy: Copy) {
        copies.removeAll { $0.answer.serial == copy.answer.serial }
        copies.removeAll {
            $0.answer.path == copy.answer.path && $0.language == copy.language
                && $0.user == copy.user
        }
        copies.append(copy)
    }

    /// Updates the stored responses that a HEAD selects, or removes those that have changed.
    private mutating func learn(fromHead answer: Answer, _ call: CacheCall, at now: Int) {
        guard answer.status == 200, answer.fields.control?.isNoStore != true else { return }
        for copy in copies where isSelected(copy, by: call) {
            let fields = answer.fields
            let isSame =
                (fields.tag == nil || opaque(fields.tag) == opaque(copy.fields.tag))
                && (fields.changed == nil || fields.changed == copy.fields.changed)
                && (!answer.hasLength || answer.body.count == copy.answer.body.count)
            // A HEAD describes the representation, which an error or a redirect is not.
            if !isSame || ![200, 206].contains(copy.answer.status) {
                copies.removeAll { $0.answer.serial == copy.answer.serial }
            } else if call.mode != .noStore, !call.control.isNoStore {
                update(copy, by: answer, call, at: now)
            }
        }
    }

    private func opaque(_ tag: String?) -> Substring? { tag?.drop { $0 != "\"" } }

    /// Gives a stored response newer fields, which also answer the request if they forbid storing.
    @discardableResult
    private mutating func update(
        _ copy: Copy,
        by answer: Answer,
        _ call: CacheCall,
        at now: Int
    ) -> Copy {
        var fields = answer.fields
        fields.control = fields.control ?? copy.fields.control
        fields.expires = fields.expires ?? copy.fields.expires
        fields.vary = fields.vary ?? copy.fields.vary
        fields.tag = fields.tag ?? copy.fields.tag
        fields.changed = fields.changed ?? copy.fields.changed
        let updated = Copy(copy.answer, fields, answer.serial, call, at: now)
        if fields.control?.isNoStore == true || fields.vary == .any {
            copies.removeAll { $0.answer.serial == copy.answer.serial }
        } else if copies.contains(where: { $0.answer.serial == copy.answer.serial }) {
            put(updated)
        }
        return updated
    }

    // MARK: - The response

    private func expectAnswer(
        _ result: Result,
        _ copy: Copy?,
        _ call: CacheCall,
        _ seen: Observation,
        at now: Int
    ) throws(Violation) {
        var answer: Answer?
        switch result {
        case .confirmed(let copy):
            return try expectStored(copy, call, seen, .revalidated, at: now)
        case .answered(let value): answer = value
        case .failed: break
        }
        let isFailure = answer.map { self.isFailure($0) } ?? true
        let isCut = answer?.isCut == true && call.delivery == .collected
        if isFailure || isCut, let copy, mayReplaceFailure(copy, call, at: now) {
            return try expectStored(copy, call, seen, .staleHit, at: now)
        }
        guard let answer, !isCut else {
            return try expect(seen.response == nil, "the failure goes to the caller")
        }
        guard let response = seen.response else {
            throw Violation(text: "the answer goes to the caller, not an error")
        }
        let outcomes: [HTTPResponse.CacheStatus.Outcome] = [.miss, .bypassed]
        try expect(outcomes.contains(response.outcome), "the outcome is that of an answer")
        try expect(response.status == answer.status, "the status is that of the answer")
        let serial = call.method == .head ? response.update : response.serial
        try expect(serial == answer.serial, "the fields are those of the answer")
        var body = answer.body
        switch answer.status {
        case 206: body = Array(body[3...9])
        case 416: body = Array("none".utf8)
        default: if call.method == .head { body = [] }
        }
        try expect(body.starts(with: response.body), "the body is that of the answer")
        try expect(
            (body == response.body) == response.isWhole || call.delivery == .dropped,
            "a body is whole, or its end is an error"
        )
        try expect(
            response.isWhole == !answer.isCut || call.delivery == .dropped,
            "a cut is noticed"
        )
    }

    private func isFailure(_ answer: Answer) -> Bool { [500, 503].contains(answer.status) }

    /// Whether a stored response may take the place of a failure (RFC 5861 §4).
    private func mayReplaceFailure(_ copy: Copy, _ call: CacheCall, at now: Int) -> Bool {
        let window = max(copy.control.staleIfError ?? 0, call.control.staleIfError ?? 0)
        return window > 0 && copy.staleness(at: now) <= window && call.mode != .noCache
            && !call.control.isNoCache && !copy.control.isNoCache && !copy.control.isMustRevalidate
    }

    private func expectStored(
        _ copy: Copy?,
        _ call: CacheCall,
        _ seen: Observation,
        _ outcome: HTTPResponse.CacheStatus.Outcome,
        at now: Int
    ) throws(Violation) {
        guard let copy, let response = seen.response else {
            throw Violation(text: "a stored response must be delivered, not an error")
        }
        try expect(response.outcome == outcome, "the outcome is \(outcome)")
        try expect(response.serial == copy.answer.serial, "the response is #\(copy.answer.serial)")
        try expect(response.update == copy.update, "the fields are those of the last update")
        let age = copy.age(at: now)
        try expect(response.age == age, "the age is \(age)")
        var (status, body) = (copy.answer.status, copy.answer.body)
        if let range = call.range, status == 200 || copy.isPart, call.method == .get {
            let isInside = range.upperBound < body.count
            status = isInside ? 206 : 416
            body = isInside ? Array(body[range]) : []
        }
        if call.method == .head { body = [] }
        try expect(response.status == status, "the status is \(status)")
        let isRight =
            call.delivery == .dropped ? body.starts(with: response.body) : body == response.body
        try expect(
            isRight && (response.isWhole || call.delivery == .dropped),
            "the body is the stored one"
        )
    }

    private func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) throws(Violation) {
        if !isTrue { throw Violation(text: text()) }
    }
}
