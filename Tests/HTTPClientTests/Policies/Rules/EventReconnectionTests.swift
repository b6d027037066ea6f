import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing
import Wire

@Suite struct EventReconnectionTests {
    private let start = Deadline(nanoseconds: 1_000_000_000)
    private let lost = HTTPError(.connectionLost(reason: "a"), phase: .body)

    private func delay(_ action: EventReconnection.Action) -> Duration? {
        if case .reconnect(let delay) = action { delay } else { nil }
    }

    /// Returns the delays of the reconnects in a row, up to the end of the stream.
    private func delays(
        _ options: HTTPEventOptions,
        retryDelay: Duration? = nil,
        seed: UInt64 = 1
    ) -> [Duration] {
        var random = SeededGenerator(seed: seed)
        var state = EventReconnection(options, method: .get)
        state.connected(at: start)
        var delays: [Duration] = []
        while delays.count < 100,
            let delay = delay(
                state.ended(nil, retryDelay: retryDelay, at: start, &random)
            )
        {
            delays.append(delay)
        }
        return delays
    }

    @Test func `delays are random, from the delay of the options to a bound that doubles`() {
        let options = HTTPEventOptions(maxReconnects: 7)
        let bounds = [3, 6, 12, 24, 48, 60, 60].map { Duration.seconds($0) }
        let rounds = (1...200).map { delays(options, seed: $0) }
        for (index, bound) in bounds.enumerated() {
            let drawn = rounds.map { $0[index] }
            #expect(drawn.allSatisfy { $0 >= .seconds(3) && $0 <= bound })
            #expect(drawn.contains { $0 <= .seconds(3) + (bound - .seconds(3)) / 4 })
            #expect(drawn.contains { $0 >= bound - (bound - .seconds(3)) / 4 })
        }
        #expect(rounds.allSatisfy { $0.count == 7 })
    }

    @Test(
        arguments: [
            (.zero, .seconds(60), .zero), (.seconds(-1), .seconds(60), .zero),
            (.seconds(Int64.max), .seconds(2), .seconds(2)), (.seconds(5), .seconds(-1), .zero),
        ] as [(Duration, Duration, Duration)]
    )
    func `delays outside the limits are clamped`(
        delay: Duration,
        cap: Duration,
        expected: Duration
    ) {
        var options = HTTPEventOptions(maxReconnects: 7)
        options.reconnectDelay = delay
        options.minReconnectDelay = .seconds(-1)
        options.maxReconnectDelay = cap
        #expect(delays(options) == [Duration](repeating: expected, count: 7))
    }

    @Test func `the delay of the server replaces that of the options, up to the cap`() {
        let options = HTTPEventOptions(maxReconnects: 2)
        let short = delays(options, retryDelay: .seconds(1))
        #expect(short.count == 2 && short[0] == .seconds(1))
        #expect(short[1] >= .seconds(1) && short[1] <= .seconds(2))
        #expect(delays(options, retryDelay: .seconds(90_000)) == [.seconds(60), .seconds(60)])
        // The delay stays for later connections that do not set it.
        var random = SeededGenerator(seed: 1)
        var state = EventReconnection(options, method: .get)
        state.connected(at: start)
        let first = state.ended(nil, retryDelay: .seconds(5), at: start, &random)
        #expect(delay(first) == .seconds(5))
        state.connected(at: start)
        state.received()
        let second = state.ended(nil, retryDelay: nil, at: start.advanced(by: .seconds(5)), &random)
        #expect(delay(second) == .seconds(5))
    }

    @Test func `only the first reconnect has no minimum delay`() {
        var options = HTTPEventOptions(maxReconnects: 3)
        let zero = delays(options, retryDelay: .zero)
        #expect(zero.count == 3 && zero[0] == .zero)
        #expect(zero[1] >= .milliseconds(500) && zero[1] <= .seconds(1))
        #expect(zero[2] >= .milliseconds(500) && zero[2] <= .seconds(2))
        options.minReconnectDelay = .seconds(2)
        #expect(delays(options, retryDelay: .milliseconds(7))[0] == .milliseconds(7))
        #expect(
            delays(options, retryDelay: .milliseconds(7)).dropFirst().allSatisfy {
                $0 >= .seconds(2)
            }
        )
        options.maxReconnectDelay = .seconds(1)
        #expect(delays(options) == [.seconds(1), .seconds(1), .seconds(1)])
        options.minReconnectDelay = .zero
        #expect(delays(options, retryDelay: .zero) == [.zero, .zero, .zero])
    }

    @Test(arguments: [false, true])
    func `an event in each of many short connections does not keep a stream alive`(
        isImpatient: Bool
    ) {
        // What a server does that wants requests without end: `retry: 0`, an event, and the end of the connection.
        var random = SeededGenerator(seed: 1)
        var options = HTTPEventOptions()
        if isImpatient {
            options.minReconnectDelay = .milliseconds(1)
            options.maxReconnectDelay = .milliseconds(90)
        }
        var state = EventReconnection(options, method: .get)
        var now = start
        var reconnects = 0
        while reconnects < 100 {
            state.connected(at: now)
            state.received()
            now = now.advanced(by: .milliseconds(900))
            guard let delay = delay(state.ended(nil, retryDelay: .zero, at: now, &random)) else {
                break
            }
            now = now.advanced(by: delay)
            reconnects += 1
        }
        #expect(reconnects == options.maxReconnects)
    }

    @Test func `a server that is polled with a delay goes on`() {
        var random = SeededGenerator(seed: 1)
        var state = EventReconnection(HTTPEventOptions(maxReconnects: 2), method: .get)
        var now = start
        for round in 0..<20 {
            state.connected(at: now)
            state.received()
            let delay = delay(state.ended(nil, retryDelay: .seconds(1), at: now, &random))
            #expect(delay.map { $0 >= .seconds(1) && $0 <= .seconds(2) } == true, "\(round)")
            now = now.advanced(by: delay ?? .zero)
        }
    }

    @Test func `an event or a long connection starts the count again`() {
        var random = SeededGenerator(seed: 1)
        var state = EventReconnection(HTTPEventOptions(maxReconnects: 1), method: .get)
        let long = start.advanced(by: .seconds(60))
        var now = start
        for _ in 0..<3 {
            state.connected(at: now)
            state.received()
            now = now.advanced(by: .seconds(1))
            #expect(delay(state.ended(lost, retryDelay: nil, at: now, &random)) == .seconds(3))
        }
        for _ in 0..<3 {
            state.connected(at: start)
            #expect(delay(state.ended(lost, retryDelay: nil, at: long, &random)) == .seconds(3))
        }
        state.connected(at: start)
        let short = start.advanced(by: .seconds(59))
        guard case .stop(let last) = state.ended(lost, retryDelay: nil, at: short, &random) else {
            Issue.record("a third action")
            return
        }
        #expect(last?.kind == lost.kind)
        // The time without a connection does not count as a long connection.
        guard case .stop = state.ended(lost, retryDelay: nil, at: long, &random) else {
            Issue.record("another action")
            return
        }
    }

    @Test(
        arguments: [
            (.connectionLost(reason: "a"), true),
            (.truncatedResponse(.bodyTruncated(received: 1, expected: nil)), true),
            (.connectFailed([]), true), (.resolveFailed(host: "a", reason: "b"), true),
            (.timedOut(.body), true), (.timedOut(.connect), true), (.timedOut(.total), false),
            (.timedOut(.queue), false), (.cancelled, false), (.rejectedStatus(.notFound), false),
            (.recordFailed(.notEventStream(contentType: nil)), false),
            (.codingFailed(.corruptCoding(.gzip)), false), (.invalidRequest(.noProxy), false),
        ] as [(HTTPError.Kind, Bool)]
    )
    func `only temporary errors lead to a reconnect`(kind: HTTPError.Kind, reconnects: Bool) {
        var random = SeededGenerator(seed: 1)
        var state = EventReconnection(HTTPEventOptions(), method: .get)
        state.connected(at: start)
        let action = state.ended(
            HTTPError(kind, phase: .body),
            retryDelay: nil,
            at: start,
            &random
        )
        #expect((delay(action) != nil) == reconnects)
        if !reconnects {
            guard case .fail(let error) = action else {
                Issue.record("another action")
                return
            }
            #expect(error.kind == kind)
        }
    }

    @Test func `a failed first request is not repeated`() {
        var random = SeededGenerator(seed: 1)
        var state = EventReconnection(HTTPEventOptions(), method: .get)
        guard case .fail = state.ended(lost, retryDelay: nil, at: start, &random) else {
            Issue.record("another action")
            return
        }
    }

    @Test(
        arguments: [
            (.post, 10), (.put, 10), (.delete, 10), (HTTPMethod("LOCK"), 10), (.get, 0), (.get, -1),
        ] as [(HTTPMethod, Int)]
    )
    func `an unsafe request and a limit of 0 read one response`(method: HTTPMethod, limit: Int) {
        var random = SeededGenerator(seed: 1)
        var state = EventReconnection(HTTPEventOptions(maxReconnects: limit), method: method)
        state.connected(at: start)
        guard case .end = state.ended(nil, retryDelay: nil, at: start, &random),
            case .fail = state.ended(lost, retryDelay: nil, at: start, &random)
        else {
            Issue.record("another action")
            return
        }
    }
}
