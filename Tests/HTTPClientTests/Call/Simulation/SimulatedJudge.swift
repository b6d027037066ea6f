import Glibc
import HTTPClient
import SocketTransport

/// A check of a call's outcome against the actions of the peer.
struct SimulatedJudge {
    let call: SimulatedCall
    let start: Deadline
    let record: SimulatedPeer.Record?
    let connections: [SimulatedPeer.Connection]
    let limits: HTTPClient.Configuration

    private var elapsed: Duration {
        .nanoseconds(Deadline.now().nanoseconds - start.nanoseconds)
    }

    /// Whether the request body is too large for this check: socket buffers hide when it was sent.
    private var isLarge: Bool { call.request.body.bytes.count > 10_000 }

    func violations(in outcome: SimulatedOutcome) -> [String] {
        var found: [String] = []
        if let total = limits.timeouts.total, elapsed > total {
            found.append("it took \(elapsed); the limit is \(total)")
        }
        switch outcome {
        case .answered(let answer): found += judge(answer, isWhole: true)
        case .left(let answer): found += judge(answer, isWhole: false)
        case .failed(let error): found += judge(error)
        }
        return found
    }

    private func judge(_ answer: SimulatedOutcome.Answer, isWhole: Bool) -> [String] {
        guard let record, let sent = record.answer else {
            return ["the peer sent no answer: \(answer.status) \(answer.id ?? "-")"]
        }
        var found: [String] = []
        if answer.id != String(call.id) { found.append("answer of request \(answer.id ?? "-")") }
        if answer.status != sent.status { found.append("status \(answer.status)") }
        if answer.interim != sent.interim { found.append("\(answer.interim) interim responses") }
        let mayBePart = !isWhole || sent.isDelimitedByClose
        if !isSame(answer.body, sent.body, asPart: mayBePart) {
            found.append("wrong body: \(answer.body.count) bytes of \(sent.body.count)")
        }
        if answer.metrics.replays != record.arrivals - 1, answer.metrics.replays < record.arrivals {
            found.append("\(record.arrivals) arrivals and \(answer.metrics.replays) replays")
        }
        let connection = connections[Int(answer.metrics.connectionID) - 1]
        if connection.number != record.connection { found.append("answer of another connection") }
        guard !mayBePart else { return found }
        guard let completedAt = record.completedAt else {
            return found + ["it was complete before the peer had sent all of the answer"]
        }
        if !isLarge, case .collected = call.reading, Deadline.now() != completedAt {
            found.append("it ended \(Deadline.now().nanoseconds - completedAt.nanoseconds) ns late")
        }
        return found
    }

    private func isSame(_ body: [UInt8], _ sent: [UInt8], asPart: Bool) -> Bool {
        guard asPart ? body.count <= sent.count : body.count == sent.count else { return false }
        // Comparing byte by byte would take as long as the rest of a simulation.
        return unsafe memcmp(body, sent, body.count) == 0
    }

    private func judge(_ error: HTTPError) -> [String] {
        var found: [String] = []
        if error.metrics.replays > 1 { found.append("\(error.metrics.replays) replays") }
        switch error.kind {
        case .cancelled:
            guard let delay = call.cancelAfter else { return found + ["it was not cancelled"] }
            if elapsed != .nanoseconds(delay) {
                found.append("cancelled after \(delay) ns, it ended after \(elapsed)")
            }
        case .timedOut(let phase): found += judge(phase, error.metrics)
        case .connectionLost, .truncatedResponse:
            if !isBrokenByPeer(error) { found.append("\(error.kind) without a fault of the peer") }
        case .malformedResponse:
            if record?.answer?.fault != .garbage { found.append("the answer was not malformed") }
        default: found.append("unexpected error: \(error.kind)")
        }
        return found
    }

    /// Whether the peer closed or corrupted the last connection of the call.
    private func isBrokenByPeer(_ error: HTTPError) -> Bool {
        let number = Int(error.metrics.connectionID)
        guard number > 0, number <= connections.count else { return false }
        return connections[number - 1].isBroken
    }

    /// Checks that a timeout fired at its exact nanosecond, and only if the limited event was missing.
    private func judge(_ phase: HTTPPhase, _ metrics: HTTPMetrics) -> [String] {
        func after(_ bound: Duration?, _ from: Duration?) -> [String] {
            guard let bound, let from else {
                return ["timed out in \(phase), which has no timeout"]
            }
            guard elapsed != from + bound else { return [] }
            return ["timed out in \(phase) after \(elapsed), not after \(from) + \(bound)"]
        }
        switch phase {
        case .total: return after(limits.timeouts.total, .zero)
        case .queue: return metrics.replays > 0 ? [] : after(limits.timeouts.queue, .zero)
        case .responseHead:
            if let record, record.completedAt != nil { return ["the answer was there"] }
            return after(limits.timeouts.responseHead, metrics.sent)
        case .body:
            guard let record, record.answer != nil else { return ["the peer sent no body"] }
            if record.completedAt != nil { return ["the answer was there"] }
            let last = record.lastWrite.nanoseconds - start.nanoseconds
            return after(limits.timeouts.readIdle, .nanoseconds(last))
        case .sending, .sendingBody: return isLarge ? [] : ["a small request is sent at once"]
        default: return ["no time can pass in \(phase)"]
        }
    }
}
