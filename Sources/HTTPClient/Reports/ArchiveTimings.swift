/// The phases of an attempt in HAR 1.2, in milliseconds; -1 for a phase that did not happen.
///
/// In HAR, `ssl` is a part of `connect`. All other phases add up to the duration of the attempt.
package struct ArchiveTimings: Equatable {
    /// Time waiting for a connection, including gaps between the phases before there is one.
    package private(set) var blocked = -1.0
    package private(set) var dns = -1.0
    package private(set) var connect = -1.0
    package private(set) var ssl = -1.0
    package private(set) var send = 0.0
    package private(set) var wait = 0.0
    package private(set) var receive = 0.0

    /// The sum of the phases, as HAR defines it.
    package var time: Double {
        [blocked, dns, connect, send, wait, receive].filter { $0 >= 0 }.reduce(0, +)
    }

    /// Creates the timings of a call that was never attempted.
    package init() {}

    /// Splits an attempt into phases; an attempt in progress ends at its last known moment.
    package init(_ attempt: HTTPMetrics.Attempt) {
        let known = [
            attempt.ended, attempt.headReceived, attempt.firstByte, attempt.sent, attempt.leased,
        ]
        let began = attempt.began
        let end = max(known.compactMap(\.self).max() ?? began, began)
        let leased = min(max(attempt.leased ?? end, began), end)
        let lookup = attempt.interval(of: .resolve)
        let opening = attempt.interval(of: .connect)
        var opened: Duration?
        if let opening {
            let handshakes = [HTTPPhase.proxyHandshake, .tlsHandshake].compactMap {
                attempt.interval(of: $0)?.upperBound
            }
            opened = min(max(opening.upperBound, handshakes.max() ?? .zero), leased)
        }
        var rest = leased - began
        if let lookup {
            dns = Self.milliseconds(lookup.upperBound - lookup.lowerBound)
            rest -= lookup.upperBound - lookup.lowerBound
        }
        if let opening, let opened {
            connect = Self.milliseconds(opened - opening.lowerBound)
            rest -= opened - opening.lowerBound
        }
        if rest > .zero { blocked = Self.milliseconds(rest) }
        if let handshake = attempt.interval(of: .tlsHandshake) {
            ssl = Self.milliseconds(handshake.upperBound - handshake.lowerBound)
        }
        // A response may begin before the whole request is sent.
        let first = min(max(attempt.firstByte ?? end, leased), end)
        let sent = min(max(attempt.sent ?? first, leased), first)
        send = Self.milliseconds(sent - leased)
        wait = Self.milliseconds(first - sent)
        receive = Self.milliseconds(end - first)
    }

    private static func milliseconds(_ time: Duration) -> Double {
        Double(time.wholeNanoseconds) / 1e6
    }

    var json: HTTPJSON {
        [
            "blocked": .number(blocked), "dns": .number(dns), "connect": .number(connect),
            "ssl": .number(ssl), "send": .number(send), "wait": .number(wait),
            "receive": .number(receive),
        ]
    }
}
