import Support
import Testing
import Wire

@Suite struct EventStreamDecoderTests {
    private struct Result: Equatable {
        var events: [HTTPServerSentEvent] = []
        var lastEventID = ""
        var retry: Int?
        var error: HTTPRecordError?
    }

    private func decode(
        _ pieces: [[UInt8]],
        maxLength: Int = 100,
        lastEventID: String = ""
    ) throws -> Result {
        var decoder = EventStreamDecoder(maxLength: maxLength, lastEventID: lastEventID)
        var result = Result()
        do {
            _ = try ByteSplits.feed(pieces) { bytes in
                let step = try decoder.decode(bytes)
                guard let event = step.event else {
                    return .init(consumed: step.consumed, next: .whenMore)
                }
                result.events.append(event)
                return .init(consumed: step.consumed, next: .again)
            }
        } catch let error as HTTPRecordError {
            result.error = error
        }
        result.lastEventID = decoder.lastEventID
        result.retry = decoder.retryMilliseconds
        return result
    }

    /// Decodes every split of a text with each of the three line ends, and compares the results.
    private func decode(
        lines text: String,
        maxLength: Int = 100,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Result {
        let whole = try decode([Array(text.utf8)], maxLength: maxLength)
        for end in ["\n", "\r", "\r\n"] {
            let bytes = text.utf8.flatMap { $0 == 0x0a ? Array(end.utf8) : [$0] }
            for pieces in ByteSplits(bytes) {
                let result = try decode(pieces, maxLength: maxLength)
                #expect(
                    result == whole,
                    "\(end.debugDescription) \(pieces)",
                    sourceLocation: location
                )
            }
        }
        return whole
    }

    private func event(
        _ data: String,
        _ type: String = "message",
        id: String = ""
    )
        -> HTTPServerSentEvent
    {
        HTTPServerSentEvent(type: type, data: data, lastEventID: id)
    }

    @Test(
        arguments: [
            ("", []), ("\n\n\n", []), ("data: a\n\n", ["a"]), ("data:a\n\n", ["a"]),
            ("data:  a\n\n", [" a"]), ("data:\ta\n\n", ["\ta"]), ("data: a \n\n", ["a "]),
            ("data\n\n", [""]), ("data:\n\n", [""]), ("data: \n\n", [""]),
            ("data\ndata\n\n", ["\n"]), ("data: a\ndata: b\n\n", ["a\nb"]),
            ("data: a\ndata\ndata:\ndata: b\n\n", ["a\n\n\nb"]),
            // Fields of other names, comments and a wrong case are ignored.
            (": c\ndata: a\n:\n: d\n\n", ["a"]), ("Data: a\n\n", []), (" data: a\n\n", []),
            ("data : a\n\n", []), ("datax: a\n\n", []), ("dat: a\n\n", []),
            ("other: a\ndata: b\n\n", ["b"]),
            ("d\ne\ni\nr\nx\ndata: b\n\n", ["b"]), ("data: a: b\n\n", ["a: b"]),
            // An event without an empty line after it is discarded.
            ("data: a", []), ("data: a\n", []), ("data: a\n\ndata: b\n", ["a"]),
            (
                "data: one line of more than sixteen bytes\n\ndata: and another of this kind\n\n",
                ["one line of more than sixteen bytes", "and another of this kind"]
            ),
            ("\ndata: a\n\n\n\ndata: b\n\n", ["a", "b"]), ("data: ä€😀\n\n", ["ä€😀"]),
        ] as [(String, [String])]
    )
    func `the data of events follows the rules of the standard`(text: String, data: [String]) throws
    {
        #expect(try decode(lines: text) == Result(events: data.map { event($0) }))
    }

    @Test func `the example of the standard gives its three events`() throws {
        let text = """
            : test stream

            data: first event
            id: 1

            data:second event
            id

            data:  third event

            """
        let result = try decode(lines: text + "\n")
        #expect(
            result
                == Result(events: [
                    event("first event", id: "1"), event("second event"), event(" third event"),
                ])
        )
    }

    @Test func `the type applies to one event, and to none without data`() throws {
        let text = """
            event: add
            data: 1

            data: 2

            event: lost

            data: 3

            event: first
            event: second
            data: 4

            event: gone
            event
            data: 5


            """
        #expect(
            try decode(lines: text).events == [
                event("1", "add"), event("2"), event("3"), event("4", "second"), event("5"),
            ]
        )
    }

    @Test func `an ID takes effect with the next empty line and stays`() throws {
        let text = """
            id: 1
            data: a

            data: b

            id: 2

            data: c

            id: with\u{0}zero
            data: d

            id: 3
            id: 4
            data: e

            id: ä
            data: lost
            """
        let result = try decode(lines: text)
        #expect(
            result.events == [
                event("a", id: "1"), event("b", id: "1"), event("c", id: "2"),
                event("d", id: "2"), event("e", id: "4"),
            ]
        )
        #expect(result.lastEventID == "4")
        #expect(try decode(lines: "id: 1\n\nid\n\n").lastEventID == "")
        let resumed = try decode([Array("data: a\n\n".utf8)], lastEventID: "7")
        #expect(resumed.events == [event("a", id: "7")])
    }

    @Test(
        arguments: [
            ("retry: 10\n", 10), ("retry:0\n", 0), ("retry: 007\n", 7), ("retry: 1\nretry: 2\n", 2),
            ("retry: 1\nretry: x\n", 1), ("retry: 99999999999999999999\n", .max), ("retry\n", nil),
            ("retry:\n", nil), ("retry: -1\n", nil), ("retry: +1\n", nil), ("retry: 1 \n", nil),
            ("retry:  1\n", nil), ("retry: 1.5\n", nil), ("retry: ١\n", nil), ("retryx: 1\n", nil),
            ("retry: 5", nil),
        ] as [(String, Int?)]
    )
    func `a reconnection time consists of digits only`(text: String, time: Int?) throws {
        #expect(try decode(lines: text) == Result(retry: time))
    }

    @Test func `a byte order mark is ignored once at the start`() throws {
        let mark = "\u{FEFF}"
        #expect(try decode(lines: mark + "data: a\n\n").events == [event("a")])
        #expect(try decode(lines: mark + mark + "data: a\n\n").events == [])
        #expect(try decode(lines: "\n" + mark + "data: a\n\n").events == [])
        #expect(try decode(lines: mark).events == [])
        var cut: [UInt8] = [0xEF, 0xBB]
        cut += Array("\ndata: a\n\n".utf8)
        for pieces in ByteSplits(cut) {
            #expect(try decode(pieces).events == [event("a")])
        }
    }

    @Test func `malformed UTF-8 is replaced`() throws {
        var bytes = Array("event: ".utf8)
        bytes += [0xFF, 0x0A]
        bytes += Array("id: ".utf8)
        bytes += [0xC3, 0x0A]
        bytes += Array("data: a".utf8)
        bytes += [0xE2, 0x82, 0x0D, 0x0A, 0x0A]
        for pieces in ByteSplits(bytes) {
            #expect(try decode(pieces).events == [event("a\u{FFFD}", "\u{FFFD}", id: "\u{FFFD}")])
        }
    }

    @Test func `line ends can be mixed, and CR LF is one line end`() throws {
        for pieces in ByteSplits("data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r\ndata: e\n\r") {
            #expect(try decode(pieces).events == [event("a\nb\nc"), event("d"), event("e")])
        }
    }

    @Test func `an event is returned with its empty line, even if that is a CR`() throws {
        var decoder = EventStreamDecoder(maxLength: 100)
        let bytes = Array("data: a\r\r".utf8)
        #expect(try decoder.decode(bytes.span) == .init(consumed: 9, event: event("a")))
        // The LF belongs to the CR before it.
        let next = Array("\ndata: b\n\n".utf8)
        #expect(try decoder.decode(next.span) == .init(consumed: 10, event: event("b")))
    }

    @Test(
        arguments: [
            ("data: a\n\ndata: 56789\n\n", 1, true), ("data:56789\n\n", 1, false),
            ("data: abcd\n\n", 1, false), ("data: abcde\n\n", 0, true),
            ("data:1234\ndata:6789\ndata\n\n", 1, false),
            ("data:1234\ndata:67890\ndata\n\n", 0, true),
            ("data:1234\ndata:67890\n\n", 1, false),
            (": 34567890\n\ndata:1\n\n", 1, false), (": 345678901\n\n", 0, true),
            ("12345678901", 0, true),
            ("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n", 1, false),
            ("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n", 0, true),
        ] as [(String, Int, Bool)]
    )
    func `an event above the limit throws after the events before it`(
        text: String,
        count: Int,
        isTooLong: Bool
    ) throws {
        let result = try decode(lines: text, maxLength: 10)
        #expect(result.events.count == count)
        #expect(result.error == (isTooLong ? .eventTooLong(limit: 10) : nil))
    }

    @Test(
        arguments: [
            (1, .max, "a", 9), (3, .max, "abc", 35), (9, .max, "abcd", 44), (9, 1, "a", 9),
            (9, 9, "a", 9), (9, 10, "ab", 20), (2, 21, "ab", 20),
        ] as [(Int, Int, String, Int)]
    )
    func `several events are decoded at once, up to a number or a length`(
        count: Int,
        length: Int,
        data: String,
        consumed: Int
    ) throws {
        let text = "data: a\n\ndata: b\r\n\r\nid: 1\ndata: c\n\ndata: d\n\ndata: e"
        let bytes = Array(text.utf8)
        var decoder = EventStreamDecoder(maxLength: 100)
        var events: [HTTPServerSentEvent] = []
        let end = try decoder.decode(bytes.span, into: &events, atMost: count, within: length)
        #expect(events.map(\.data).joined() == data && end == consumed)
        #expect(events.map(\.lastEventID) == Array(["", "", "1", "1"].prefix(data.count)))
        // The rest continues with the next event.
        _ = try decoder.decode(bytes.span.extracting(end...), into: &events, atMost: 9)
        #expect(events.map(\.data).joined() == "abcd")
    }

    @Test func `the events before one that is too long are added`() throws {
        var decoder = EventStreamDecoder(maxLength: 10)
        var events: [HTTPServerSentEvent] = []
        let bytes = Array("data: a\n\ndata: b\n\ndata: 567890\n\n".utf8)
        #expect(throws: HTTPRecordError.eventTooLong(limit: 10)) {
            _ = try decoder.decode(bytes.span, into: &events, atMost: 9)
        }
        #expect(events == [event("a"), event("b")])
    }

    @Test func `endless comments and fields use no memory`() throws {
        var decoder = EventStreamDecoder(maxLength: 64)
        let bytes = Array(": ping\nid: 1\nevent: a\nretry: 5\nother: x\n".utf8)
        for _ in 0..<10_000 {
            let step = try decoder.decode(bytes.span)
            #expect(step == .init(consumed: bytes.count, event: nil))
        }
    }
}
