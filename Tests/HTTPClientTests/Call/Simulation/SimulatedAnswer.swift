import SocketTransport
import Support

/// The reaction of a simulated peer to one request, drawn from the seed.
struct SimulatedAnswer {
    enum Step {
        case write([UInt8])
        /// The answer has been written completely.
        case complete
        /// Sends FIN, or a reset if bytes from the client are unread.
        case close
    }

    /// The faults that entitle a client to fail.
    enum Fault {
        /// The connection ends before the answer is complete.
        case cutShort
        /// The bytes are not HTTP.
        case garbage
        /// The peer sends nothing more.
        case silence
    }

    /// The steps, each with its delay in nanoseconds after the step before it.
    var steps: [(delay: Int64, step: Step)] = []
    var fault: Fault?
    let status: Int
    let body: [UInt8]
    let interim: Int
    /// Whether closing the connection ends the body, so that a client cannot detect a truncation.
    var isDelimitedByClose = false
    /// Whether the connection carries no further request.
    var isLast = false
}

/// A request as the peer received it.
struct SimulatedRequest {
    let id: Int
    let method: String
    let host: String
    let bodyCount: Int
    /// The number of times this request has arrived, counted from 1.
    let arrival: Int
}

/// A generator of random answers.
struct SimulatedAnswers {
    /// Possible delays in nanoseconds; some equal a timeout of the client exactly.
    let delays: [Int64]
    /// The client's idle timeout in nanoseconds.
    let idle: Int64

    func draw(
        for request: SimulatedRequest,
        isEarly: Bool,
        _ random: inout SeededGenerator
    ) -> SimulatedAnswer {
        let status = [200, 200, 200, 201, 404, 500, 204, 304].randomElement(using: &random)!
        let length = [0, 1, 100, 1000, 5000, 30_000, 300_000]
            .randomElement(using: &random)!
        let isShort = Int.random(in: 0..<6, using: &random) > 0
        let carriesBody = request.method != "HEAD" && status != 204 && status != 304
        let body = carriesBody ? Self.body(request, isShort ? min(length, 1000) : length) : []
        let interim = Int.random(in: 0..<12, using: &random) == 0 ? 1 : 0
        var answer = SimulatedAnswer(status: status, body: body, interim: interim)
        var wire: [UInt8] = []
        for _ in 0..<interim {
            wire += Array("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".utf8)
        }
        let end = addHead(of: request, to: &wire, carriesBody, isEarly, &answer, &random)
        cut(wire, into: &answer, end, &random)
        return answer
    }

    /// Returns a body made of the request's number and arrival, so that no two answers are alike.
    static func body(_ request: SimulatedRequest, _ count: Int) -> [UInt8] {
        let name = Array("\(request.id)/\(request.arrival);".utf8)
        let filling = UInt8(truncatingIfNeeded: request.id &* 7 &+ request.arrival)
        return Array((name + [UInt8](repeating: filling, count: count)).prefix(count))
    }

    /// What happens to the connection after the answer.
    private enum End {
        case keptAlive
        /// Closing the connection ends the body.
        case endsWithBody
        case closes
        case closesAfter(Int64)
        case junkAfter(Int64)
    }

    /// Appends head and body to `wire`, and draws what happens to the connection afterwards.
    private func addHead(
        of request: SimulatedRequest,
        to wire: inout [UInt8],
        _ carriesBody: Bool,
        _ isEarly: Bool,
        _ answer: inout SimulatedAnswer,
        _ random: inout SeededGenerator
    ) -> End {
        let framing = Int.random(in: 0..<8, using: &random)
        let isDelimitedByClose = carriesBody && framing == 0
        var head = "HTTP/1.1 \(answer.status) Simulated\r\nx-id: \(request.id)\r\n"
        var end = End.keptAlive
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            head += "Connection: close\r\n"
            end = .closes
        case 1:
            head += "Keep-Alive: timeout=1\r\n"
            end = .closesAfter(1_000_000_000)
        case 2: end = .closesAfter(idle)
        case 3: end = .closesAfter(delays.randomElement(using: &random)!)
        case 4: end = .junkAfter(delays.randomElement(using: &random)!)
        default: break
        }
        if isEarly { end = .closes }
        if isDelimitedByClose { end = .endsWithBody }
        answer.isDelimitedByClose = isDelimitedByClose
        answer.isLast =
            switch end {
            case .closes, .endsWithBody: true
            default: false
            }
        let body = answer.body
        switch framing {
        case _ where !carriesBody:
            if answer.status != 204, Bool.random(using: &random) { head += "Content-Length: 7\r\n" }
            if answer.status != 204, !head.contains("Content-Length"), request.method != "HEAD",
                answer.status != 304
            {
                head += "Content-Length: 0\r\n"
            }
            wire += Array((head + "\r\n").utf8)
        case 0:
            wire += Array((head + "\r\n").utf8) + body
        case 1, 2:
            wire += Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
            var start = 0
            while start < body.count {
                let count = min(Int.random(in: 1...40_000, using: &random), body.count - start)
                wire += Array((String(count, radix: 16) + "\r\n").utf8)
                wire += body[start..<start + count] + [13, 10]
                start += count
            }
            wire += Array("0\r\n\r\n".utf8)
        default:
            wire += Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
        }
        return end
    }

    /// Splits the bytes into delayed writes, or truncates them.
    private func cut(
        _ wire: [UInt8],
        into answer: inout SimulatedAnswer,
        _ end: End,
        _ random: inout SeededGenerator
    ) {
        func delay() -> Int64 { delays.randomElement(using: &random)! }
        var last = wire.count
        switch Int.random(in: 0..<24, using: &random) {
        case 0:
            answer.fault = .cutShort
            last = Int.random(in: 0..<wire.count, using: &random)
        case 1:
            answer.fault = .cutShort
            last = 0
        case 2:
            answer.fault = .silence
            last = Int.random(in: 0..<wire.count, using: &random)
        case 3: answer.fault = .garbage
        default: break
        }
        if answer.fault == .garbage {
            answer.steps = [(delay(), .write(Array("\u{1}\u{2}no HTTP at all\r\n\r\n".utf8)))]
            return
        }
        var start = 0
        let pieces = Int.random(in: 0..<4, using: &random) == 0 ? 4 : 1
        for piece in 0..<pieces where start < last {
            let count =
                piece == pieces - 1
                ? last - start : Int.random(in: 1...max(1, (last - start) / 2), using: &random)
            let wait = piece == 0 || Bool.random(using: &random) ? delay() : 0
            answer.steps.append((wait, .write(Array(wire[start..<start + count]))))
            start += count
        }
        switch answer.fault {
        case .cutShort?:
            answer.steps.append((delay(), .close))
            return
        case .silence?:
            return
        case .garbage?, nil: break
        }
        switch end {
        case .keptAlive: answer.steps.append((0, .complete))
        case .endsWithBody: answer.steps += [(0, .close), (0, .complete)]
        case .closes: answer.steps += [(0, .complete), (0, .close)]
        case .closesAfter(let time):
            answer.steps += [(0, .complete), (time, .close)]
        case .junkAfter(let time):
            let junk = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlies".utf8)
            answer.steps += [(0, .complete), (time, .write(junk))]
        }
    }
}
