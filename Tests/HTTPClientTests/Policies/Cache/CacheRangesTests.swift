import HTTPClient
import Testing
import Wire

/// Tests ranges of stored responses (RFC 9111 §3.3, §3.4; RFC 9110 §13.1.5, §14.2).
@Suite struct CacheRangesTests {
    typealias Answer = CacheRanges.Answer

    private static let dates = ["Date: @100", "Last-Modified: @50"]

    /// The stored response is whole and has 100 bytes.
    @Test(
        arguments: [
            ("no Range", .get, [], ["ETag: \"a\""], .whole),
            ("first bytes", .get, ["Range: bytes=0-9"], ["ETag: \"a\""], .part(0..<10, of: 100)),
            ("one byte", .get, ["Range: bytes=99-99"], [], .part(99..<100, of: 100)),
            ("rest", .get, ["Range: bytes=90-"], [], .part(90..<100, of: 100)),
            ("suffix", .get, ["Range: bytes=-10"], [], .part(90..<100, of: 100)),
            (
                "suffix longer than the content", .get, ["Range: bytes=-1000"], [],
                .part(0..<100, of: 100)
            ),
            (
                "end beyond the content", .get, ["Range: bytes=90-1000"], [],
                .part(90..<100, of: 100)
            ),
            ("all bytes", .get, ["Range: bytes=0-"], [], .part(0..<100, of: 100)),
            ("start beyond the content", .get, ["Range: bytes=100-"], [], .unsatisfiable(of: 100)),
            ("suffix of zero", .get, ["Range: bytes=-0"], [], .unsatisfiable(of: 100)),
            ("several ranges", .get, ["Range: bytes=0-1,5-6"], [], .forward),
            ("another unit", .get, ["Range: rows=0-1"], [], .whole),
            ("malformed range", .get, ["Range: bytes=9-1"], [], .whole),
            ("two lines", .get, ["Range: bytes=0-1", "Range: bytes=5-6"], [], .whole),
            ("HEAD", .head, ["Range: bytes=0-1"], [], .whole),
            (
                "If-Range with the tag", .get, ["Range: bytes=0-9", "If-Range: \"a\""],
                ["ETag: \"a\""], .part(0..<10, of: 100)
            ),
            (
                "If-Range with another tag", .get, ["Range: bytes=0-9", "If-Range: \"b\""],
                ["ETag: \"a\""], .whole
            ),
            (
                "If-Range with a weak tag", .get, ["Range: bytes=0-9", "If-Range: W/\"a\""],
                ["ETag: W/\"a\""], .whole
            ),
            (
                "If-Range with the tag of a weak one", .get,
                ["Range: bytes=0-9", "If-Range: \"a\""], ["ETag: W/\"a\""], .whole
            ),
            (
                "If-Range without a stored tag", .get, ["Range: bytes=0-9", "If-Range: \"a\""], [],
                .whole
            ),
            (
                "If-Range with the date", .get, ["Range: bytes=0-9", "If-Range: @50"], dates,
                .part(0..<10, of: 100)
            ),
            (
                "If-Range with a later date", .get, ["Range: bytes=0-9", "If-Range: @60"], dates,
                .whole
            ),
            (
                "If-Range with an earlier date", .get, ["Range: bytes=0-9", "If-Range: @40"], dates,
                .whole
            ),
            (
                "If-Range with a weak date", .get, ["Range: bytes=0-9", "If-Range: @50"],
                ["Date: @50", "Last-Modified: @50"], .whole
            ),
            (
                "If-Range without Date", .get, ["Range: bytes=0-9", "If-Range: @50"],
                ["Last-Modified: @50"], .whole
            ),
            (
                "malformed If-Range", .get, ["Range: bytes=0-9", "If-Range: a"], ["ETag: \"a\""],
                .whole
            ),
            ("If-Range without Range", .get, ["If-Range: \"b\""], ["ETag: \"a\""], .whole),
        ] as [(String, HTTPMethod, [String], [String], Answer)]
    )
    func `a whole response answers a range`(
        name: String,
        method: HTTPMethod,
        request: [String],
        response: [String],
        answer: Answer
    ) {
        let stored = CacheHeads.stored(response)
        #expect(CacheRanges.answer(to: CacheHeads.request(method, request), from: stored) == answer)
    }

    /// The stored response has the bytes 20 to 59 of 100.
    @Test(
        arguments: [
            ("no Range", .get, [], .forward), ("HEAD", .head, [], .forward),
            ("the stored part", .get, ["Range: bytes=20-59"], .part(20..<60, of: 100)),
            ("a piece of it", .get, ["Range: bytes=30-39"], .part(30..<40, of: 100)),
            ("one byte before", .get, ["Range: bytes=19-39"], .forward),
            ("one byte after", .get, ["Range: bytes=30-60"], .forward),
            ("rest", .get, ["Range: bytes=20-"], .forward),
            ("suffix", .get, ["Range: bytes=-50"], .forward),
            ("beyond the content", .get, ["Range: bytes=100-"], .unsatisfiable(of: 100)),
            ("several ranges", .get, ["Range: bytes=20-21,30-31"], .forward),
            (
                "If-Range with another tag", .get, ["Range: bytes=20-29", "If-Range: \"b\""],
                .forward
            ),
            (
                "If-Range with the tag", .get, ["Range: bytes=20-29", "If-Range: \"a\""],
                .part(20..<30, of: 100)
            ),
        ] as [(String, HTTPMethod, [String], Answer)]
    )
    func `a part answers a range in it`(
        name: String,
        method: HTTPMethod,
        request: [String],
        answer: Answer
    ) {
        let stored = CacheHeads.stored(["ETag: \"a\""], 206, content: .part(20...59, of: 100))
        #expect(CacheRanges.answer(to: CacheHeads.request(method, request), from: stored) == answer)
    }

    @Test func `a response that is not 200 ignores Range`() {
        let request = CacheHeads.request(.get, ["Range: bytes=0-1"])
        #expect(CacheRanges.answer(to: request, from: CacheHeads.stored([], 404)) == .whole)
    }

    @Test func `a decision skips a newer part without the requested bytes`() {
        let part = CacheHeads.stored(
            ["Cache-Control: max-age=9", "ETag: \"a\"", "Date: @999"],
            206,
            content: .part(0...9, of: 100)
        )
        let whole = CacheHeads.stored(["Cache-Control: max-age=9", "ETag: \"a\"", "Date: @998"])
        let now = CacheHeads.date(1000)
        let decision = CacheRules.decision(
            on: CacheHeads.request(),
            mode: .default,
            among: [part, whole],
            at: now
        )
        #expect(
            decision == .fresh(CacheReuse(index: 1, age: 2, withheldFields: [], content: .whole))
        )
        let missing = CacheRules.decision(
            on: CacheHeads.request(),
            mode: .default,
            among: [part],
            at: now
        )
        #expect(missing == .fetch(.partial))
    }

    /// RFC 9111 §3.4: the stored bytes are 20 to 59 of 100.
    @Test(
        arguments: [
            (
                "bytes after", ["Content-Range: bytes 60-79/100", "ETag: \"a\""],
                .part(20...79, of: 100)
            ),
            (
                "bytes before", ["Content-Range: bytes 10-19/100", "ETag: \"a\""],
                .part(10...59, of: 100)
            ),
            (
                "overlap after", ["Content-Range: bytes 50-99/100", "ETag: \"a\""],
                .part(20...99, of: 100)
            ),
            (
                "overlap before", ["Content-Range: bytes 0-30/100", "ETag: \"a\""],
                .part(0...59, of: 100)
            ),
            (
                "bytes within", ["Content-Range: bytes 30-39/100", "ETag: \"a\""],
                .part(20...59, of: 100)
            ),
            ("all bytes", ["Content-Range: bytes 0-99/100", "ETag: \"a\""], .whole(length: 100)),
            ("gap after", ["Content-Range: bytes 61-79/100", "ETag: \"a\""], .gap),
            ("gap before", ["Content-Range: bytes 0-18/100", "ETag: \"a\""], .gap),
            ("another tag", ["Content-Range: bytes 60-79/100", "ETag: \"b\""], .different),
            ("weak tag", ["Content-Range: bytes 60-79/100", "ETag: W/\"a\""], .different),
            ("no tag", ["Content-Range: bytes 60-79/100"], .different),
            ("another length", ["Content-Range: bytes 60-79/101", "ETag: \"a\""], .different),
            ("unknown length", ["Content-Range: bytes 60-79/*", "ETag: \"a\""], .different),
            ("no range", ["ETag: \"a\""], .different),
        ] as [(String, [String], CacheRanges.Combination)]
    )
    func `parts are combined`(name: String, lines: [String], result: CacheRanges.Combination) {
        let stored = CacheHeads.stored(["ETag: \"a\""], 206, content: .part(20...59, of: 100))
        #expect(
            CacheRanges.combination(of: stored, with: CacheHeads.response(206, lines)) == result
        )
        #expect(
            CacheRanges.combination(of: stored, with: CacheHeads.response(200, lines)) == .different
        )
    }

    /// RFC 9111 §3.4: the validators of both parts.
    @Test(
        arguments: [
            ("equal weak tags", ["ETag: W/\"a\""], ["ETag: W/\"a\""], false),
            (
                "strong dates", ["Date: @100", "Last-Modified: @50"],
                ["Date: @200", "Last-Modified: @50"], true
            ),
            (
                "different dates", ["Date: @100", "Last-Modified: @50"],
                ["Date: @200", "Last-Modified: @60"], false
            ),
            (
                "weak dates", ["Date: @50", "Last-Modified: @50"],
                ["Date: @50", "Last-Modified: @50"], false
            ),
            ("one weak date", ["Date: @100", "Last-Modified: @50"], ["Last-Modified: @50"], false),
            (
                "a tag and strong dates", ["ETag: \"a\"", "Date: @100", "Last-Modified: @50"],
                ["Date: @100", "Last-Modified: @50"], false
            ),
            (
                "weak tags and strong dates",
                ["ETag: W/\"a\"", "Date: @100", "Last-Modified: @50"],
                ["ETag: W/\"a\"", "Date: @100", "Last-Modified: @50"], false
            ),
            ("nothing", [], [], false),
        ] as [(String, [String], [String], Bool)]
    )
    func `only a strong validator combines parts`(
        name: String,
        first: [String],
        second: [String],
        isCombined: Bool
    ) {
        let stored = CacheHeads.stored(first, 206, content: .part(0...49, of: 100))
        let received = CacheHeads.response(206, ["Content-Range: bytes 50-99/100"] + second)
        let combination = CacheRanges.combination(of: stored, with: received)
        #expect(combination == (isCombined ? .whole(length: 100) : .different))
    }

    @Test(
        arguments: [
            (.whole(length: 100), 200, ["ETag: \"a\"", "A: 2", "Content-Length: 100"]),
            (
                .part(0...69, of: 100), 206,
                ["ETag: \"a\"", "A: 2", "Content-Length: 70", "Content-Range: bytes 0-69/100"]
            ),
            (.gap, nil, []), (.different, nil, []),
        ] as [(CacheRanges.Combination, HTTPStatus?, [String])]
    )
    func `the head describes the combined bytes`(
        combination: CacheRanges.Combination,
        status: HTTPStatus?,
        lines: [String]
    ) {
        let stored = CacheHeads.response(
            206,
            ["ETag: \"a\"", "A: 1", "Content-Length: 50", "Content-Range: bytes 0-49/100"]
        )
        let received = CacheHeads.response(
            206,
            ["A: 2", "Content-Length: 20", "Content-Range: bytes 50-69/100"]
        )
        let head = CacheUpdate.combinedHead(of: stored, with: received, combination)
        #expect(head?.status == status)
        #expect(head?.headers == (status == nil ? nil : CacheHeads.fields(lines)))
    }
}
