import HTTPClient
import Testing
import Wire

/// Tests which stored response is selected (RFC 9111 §4.1), and what a decision contains (§4.3.1, §5.2.2.4).
@Suite struct CacheSelectionTests {
    /// RFC 9111 §4.1: the Vary field, the first and the second request, and whether the second one matches.
    @Test(
        arguments: [
            ("no Vary", [], ["A: 1"], ["A: 2"], true),
            ("equal", ["Vary: a"], ["A: 1"], ["A: 1"], true),
            ("different", ["Vary: a"], ["A: 1"], ["A: 2"], false),
            ("another field differs", ["Vary: a"], ["A: 1", "B: 1"], ["A: 1", "B: 2"], true),
            ("absent twice", ["Vary: a"], [], [], true),
            ("absent at first", ["Vary: a"], [], ["A: 1"], false),
            ("absent later", ["Vary: a"], ["A: 1"], [], false),
            ("empty is not absent", ["Vary: a"], ["A: "], [], false),
            ("case of the name", ["Vary: aBc"], ["ABC: 1"], ["abc: 1"], true),
            ("case of the value", ["Vary: a"], ["A: x"], ["A: X"], false),
            ("spaces around the value", ["Vary: a"], ["A:   1 "], ["A: 1"], true),
            ("two lines and a list", ["Vary: a"], ["A: 1", "A: 2"], ["A: 1, 2"], true),
            ("order of lines", ["Vary: a"], ["A: 1", "A: 2"], ["A: 2", "A: 1"], false),
            ("spaces in an unknown field", ["Vary: a"], ["A: 1,2"], ["A: 1, 2"], false),
            ("two names, both equal", ["Vary: a, b"], ["A: 1", "B: 2"], ["B: 2", "A: 1"], true),
            ("two names, one differs", ["Vary: a, b"], ["A: 1", "B: 2"], ["A: 1", "B: 3"], false),
            (
                "two lines of Vary", ["Vary: a", "Vary: b"], ["A: 1", "B: 2"], ["A: 1", "B: 3"],
                false
            ),
            (
                "names in a list with gaps", ["Vary: ,a,,b"], ["A: 1", "B: 2"], ["A: 1", "B: 3"],
                false
            ),
            (
                "spaces in Accept-Encoding", ["Vary: accept-encoding"],
                ["Accept-Encoding: gzip,br"], ["Accept-Encoding: gzip, br"], true
            ),
            (
                "case in Accept-Encoding", ["Vary: accept-encoding"], ["Accept-Encoding: GZIP"],
                ["Accept-Encoding: gzip"], true
            ),
            (
                "case in Accept-Language", ["Vary: accept-language"], ["Accept-Language: en-GB"],
                ["Accept-Language: en-gb"], true
            ),
            (
                "order in Accept-Language", ["Vary: accept-language"], ["Accept-Language: en, de"],
                ["Accept-Language: de, en"], false
            ),
            (
                "Authorization", ["Vary: Authorization"], ["Authorization: a"],
                ["Authorization: b"], false
            ),
        ] as [(String, [String], [String], [String], Bool)]
    )
    func `Vary selects by the fields of the request`(
        name: String,
        vary: [String],
        first: [String],
        second: [String],
        isMatch: Bool
    ) throws {
        let response = CacheHeads.fields(vary)
        let variant = try #require(CacheVariant(response, selectedBy: CacheHeads.fields(first)))
        #expect(variant.matches(CacheHeads.fields(second)) == isMatch)
        #expect(variant.matches(CacheHeads.fields(first)))
        let other = CacheVariant(response, selectedBy: CacheHeads.fields(second))
        #expect((other == variant) == isMatch)
        #expect(CacheVariant(variant.selectors) == variant)
    }

    @Test func `a response that varies by too many fields is selected by no request`() {
        let names = (1...65).map { "field-\($0)" }
        let most = names.dropLast().joined(separator: ", ")
        #expect(CacheVariant(CacheHeads.fields(["Vary: \(most)"]), selectedBy: [:]) != nil)
        // A name that is repeated counts once.
        let repeated = CacheHeads.fields(["Vary: \(most)", "Vary: FIELD-1"])
        #expect(CacheVariant(repeated, selectedBy: [:]) != nil)
        let all = CacheHeads.fields(["Vary: \(most)", "Vary: field-65"])
        #expect(CacheVariant(all, selectedBy: [:]) == nil)
    }

    /// RFC 9111 §4.1: Date lines and times of receipt of the stored responses, and the index of the chosen one.
    @Test(
        arguments: [
            (
                "the newest by Date",
                [("Date: @900", 1000), ("Date: @950", 1000), ("Date: @920", 1000)], 1
            ),
            ("Date before the time of receipt", [("Date: @950", 1000), ("Date: @900", 1040)], 0),
            (
                "the time of receipt if Date is equal",
                [("Date: @900", 1000), ("Date: @900", 1040)], 1
            ),
            ("the time of receipt without Date", [("A: 1", 1040), ("A: 1", 1000)], 0),
            ("the last stored of equal ones", [("Date: @900", 1000), ("Date: @900", 1000)], 1),
        ] as [(String, [(String, Int)], Int)]
    )
    func `the most recent match is chosen`(name: String, stored: [(String, Int)], index: Int) {
        let responses = stored.map {
            CacheHeads.stored(["Cache-Control: max-age=500", $0.0], at: $0.1)
        }
        let decision = CacheRules.decision(
            on: CacheHeads.request(),
            mode: .default,
            among: responses,
            at: CacheHeads.date(1050)
        )
        guard case .fresh(let reuse) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(reuse.index == index)
    }

    @Test func `without a match the request is fetched`() {
        let now = CacheHeads.date(1000)
        let stored = CacheHeads.stored(
            ["Cache-Control: max-age=9", "Vary: a"],
            selectedBy: ["A: 1"]
        )
        for (mode, isOnlyCached) in [
            (HTTPRequest.CacheMode.default, false), (.forceCache, false), (.onlyIfCached, true),
        ] {
            let empty = CacheRules.decision(
                on: CacheHeads.request(),
                mode: mode,
                among: [],
                at: now
            )
            let other = CacheRules.decision(
                on: CacheHeads.request(),
                mode: mode,
                among: [stored],
                at: now
            )
            #expect(empty == (isOnlyCached ? .unavailable(.notStored) : .fetch(.notStored)))
            #expect(other == (isOnlyCached ? .unavailable(.varyMiss) : .fetch(.varyMiss)))
        }
    }

    /// RFC 9111 §4.3.1: the validators of the response, and the conditions of the request.
    @Test(
        arguments: [
            ("strong tag", ["ETag: \"a\""], ["If-None-Match: \"a\""]),
            ("weak tag", ["ETag: W/\"a\""], ["If-None-Match: W/\"a\""]),
            ("date", ["Last-Modified: @50"], ["If-Modified-Since: @50"]),
            (
                "tag and date", ["ETag: \"a\"", "Last-Modified: @50"],
                ["If-None-Match: \"a\"", "If-Modified-Since: @50"]
            ),
            (
                "malformed tag and date", ["ETag: a", "Last-Modified: @50"],
                ["If-Modified-Since: @50"]
            ),
            (
                "date as received", ["Last-Modified: Thu Jan  1 00:00:50 1970"],
                ["If-Modified-Since: Thu Jan  1 00:00:50 1970"]
            ),
            ("malformed date", ["Last-Modified: x"], []), ("nothing", [], []),
        ] as [(String, [String], [String])]
    )
    func `validators become conditions`(name: String, response: [String], conditions: [String]) {
        let decision = CacheRules.decision(
            on: CacheHeads.request(),
            mode: .default,
            among: [CacheHeads.stored(["Cache-Control: max-age=5"] + response)],
            at: CacheHeads.date(1010)
        )
        let fields = CacheHeads.fields(conditions)
        let expected: CacheDecision =
            conditions.isEmpty
            ? .fetch(.notUsable(.stale))
            : .revalidate(CacheRevalidation(index: 0, conditions: fields, reason: .stale))
        #expect(decision == expected)
    }

    @Test func `fields that no-cache names are withheld`() {
        let stored = CacheHeads.stored(["Cache-Control: max-age=9, no-cache=\"Set-Cookie, a\""])
        let decision = CacheRules.decision(
            on: CacheHeads.request(),
            mode: .default,
            among: [stored],
            at: CacheHeads.date(1000)
        )
        let reuse = CacheReuse(
            index: 0,
            age: 0,
            withheldFields: [.setCookie, "a"],
            content: .whole
        )
        #expect(decision == .fresh(reuse))
    }

    @Test(
        arguments: [
            (.default, []), (.forceCache, []), (.onlyIfCached, []),
            (.noCache, ["Cache-Control: max-age=0"]),
            (.reload, ["Pragma: no-cache", "Cache-Control: no-cache"]),
            (.noStore, ["Pragma: no-cache", "Cache-Control: no-cache"]),
        ] as [(HTTPRequest.CacheMode, [String])]
    )
    func `a mode tells other caches`(mode: HTTPRequest.CacheMode, lines: [String]) {
        #expect(mode.requestFields == CacheHeads.fields(lines))
    }

    /// RFC 9211 §2.2.
    @Test(
        arguments: [
            (.method, "method"), (.mode, "bypass"), (.requestContent, "bypass"),
            (.requestNoStore, "request"),
            (.notStored, "uri-miss"), (.varyMiss, "vary-miss"), (.partial, "partial"),
            (.notUsable(.stale), "stale"), (.notUsable(.responseNoCache), "stale"),
            (.notUsable(.requestNoCache), "request"), (.notUsable(.mode), "request"),
        ] as [(CacheFetchReason, String)]
    )
    func `a reason has a parameter of Cache-Status`(reason: CacheFetchReason, text: String) {
        #expect(reason.forwardParameter == text)
    }
}
