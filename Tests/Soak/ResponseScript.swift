/// One action of the origin in response to a request.
enum Step {
    case send([UInt8])
    case wait(milliseconds: Int)
    /// Sends FIN and reads the rest of the peer's bytes.
    case endSending
    case close
    case reset
    /// Sends nothing more.
    case stall
}

/// An action of the origin while the connection is idle after a response.
enum IdleAction {
    case garbage
    case answer
    case close
    case endSending
    case reset
}

/// A handwritten response, correct or damaged, that shares no code with the library.
struct ResponseScript {
    private(set) var steps: [Step] = []
    private(set) var idleAction: IdleAction?
    private(set) var idleMilliseconds = 0

    /// A complete response to no request.
    static let unsolicitedResponse = Array(
        "HTTP/1.1 200 OK\r\nx-id: 0\r\ncontent-length: 6\r\n\r\npoison".utf8
    )

    init(_ scenario: Scenario, received: Int) {
        var random = scenario.random
        let head = Self.head(scenario, received: received, &random)
        let body = scenario.answersWithBody ? Self.body(scenario, &random) : []
        let message = head + body
        let lastOfHead = head.count - 1

        switch scenario.fault {
        case .closeBefore: steps = [.close]
        case .resetBefore: steps = [.reset]
        case .stall: steps = [.stall]
        case .garbage:
            let garbage = (0..<random.pick(8...400)).map { _ in UInt8(random.pick(1...255)) }
            steps = [.send(Array("\u{1}".utf8) + garbage + Array("\r\n\r\n".utf8)), .close]
        case .delay: steps = [.wait(milliseconds: random.pick(1...12)), .send(message)]
        case .closeInHead: steps = [.send(Array(head[..<random.pick(1...lastOfHead)])), .close]
        case .resetInHead: steps = [.send(Array(head[..<random.pick(1...lastOfHead)])), .reset]
        case .stallInHead: steps = [.send(Array(head[..<random.pick(1...lastOfHead)])), .stall]
        case .oversizedHead:
            let field = "x-padding: " + String(repeating: "p", count: 2000) + "\r\n"
            let flood = String(repeating: field, count: 60)
            steps = [.send(Array("HTTP/1.1 200 OK\r\n\(flood)\r\n".utf8)), .close]
        case .closeInBody:
            steps = [.send(Array(message[..<random.pick(head.count...message.count - 1)])), .close]
        case .resetInBody:
            steps = [.send(Array(message[..<random.pick(head.count...message.count - 1)])), .reset]
        case .stallInBody:
            steps = [.send(Array(message[..<random.pick(head.count...message.count - 1)])), .stall]
        case .slowAnswer:
            var start = 0
            // The last byte is sent last: otherwise the client could continue before the origin does.
            for _ in 0..<random.pick(1...4) where start < message.count - 1 {
                let end = random.pick(start + 1...message.count - 1)
                steps += [
                    .send(Array(message[start..<end])), .wait(milliseconds: random.pick(0...2)),
                ]
                start = end
            }
            steps.append(.send(Array(message[start...])))
        case .silentReset: steps = [.send(message), .reset]
        case .secondAnswer:
            steps = [.send(message + Self.unsolicitedResponse)]
        case .earlyRejection: steps = [.send(message), .endSending]
        case .garbageInChunks, .damagedGzip, .oversizedBody, .none, .slowReading, .earlySuccess:
            steps = [.send(message)]
        case .announcedClose, .silentClose, .rejectionWithReset: steps = [.send(message), .close]
        case .lateGarbage, .lateAnswer, .lateClose, .lateHalfClose, .lateReset:
            steps = [.send(message)]
            idleMilliseconds = random.pick(0...(scenario.isExclusive ? 2 : 6))
            idleAction =
                switch scenario.fault {
                case .lateGarbage: .garbage
                case .lateAnswer: .answer
                case .lateHalfClose: .endSending
                case .lateClose: .close
                default: .reset
                }
        }
        if scenario.framing == .untilClose, case .send? = steps.last { steps.append(.close) }
    }

    private static func head(
        _ scenario: Scenario,
        received: Int,
        _ random: inout SplitMix64
    ) -> [UInt8] {
        var text = ""
        if scenario.hasInterimAnswer { text += "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" }
        text += "HTTP/1.1 \(scenario.status) Said\r\nx-id: \(scenario.number)\r\n"
        text += "x-received: \(received)\r\n"
        if scenario.isGzip { text += "content-encoding: gzip\r\n" }
        let isClosing =
            scenario.fault == .announcedClose || scenario.fault == .earlyRejection
            || scenario.fault == .rejectionWithReset
        if isClosing { text += "connection: close\r\n" }
        switch scenario.framing {
        case .length where scenario.status == 204: break
        case .length:
            // The encoded length follows from the number of stored blocks.
            let bytes = scenario.answerLength
            let blocks = max(1, (bytes + 65_534) / 65_535)
            let length = scenario.isGzip ? bytes + 18 + 5 * blocks : bytes
            text += "content-length: \(length)\r\n"
        case .chunked: text += "transfer-encoding: chunked\r\n"
        case .untilClose: break
        }
        return Array((text + "\r\n").utf8)
    }

    private static func body(_ scenario: Scenario, _ random: inout SplitMix64) -> [UInt8] {
        var content = scenario.answerContent.bytes
        if scenario.isGzip {
            content = Gzip.stored(content)
            // Damage one byte of the checksum.
            if scenario.fault == .damagedGzip {
                content[content.count - random.pick(5...8)] ^= 0x10
            }
        }
        guard scenario.framing == .chunked else { return content }
        var output: [UInt8] = []
        output.reserveCapacity(content.count + 256)
        // The broken chunk comes first, or after one good chunk.
        let goodOnes = random.pick(0...1)
        var chunks = 0
        var start = 0
        while start < content.count {
            if scenario.fault == .garbageInChunks, chunks == goodOnes { break }
            let most = max(1, content.count / (scenario.fault == .garbageInChunks ? 2 : 1))
            let end = start + random.pick(1...min(content.count - start, min(most, 9000)))
            output += Array("\(String(end - start, radix: 16))\r\n".utf8)
            output += content[start..<end]
            output += Array("\r\n".utf8)
            start = end
            chunks += 1
        }
        if scenario.fault == .garbageInChunks { return output + Array("-1\r\nno chunk\r\n".utf8) }
        return output + Array("0\r\nx-end: \(scenario.number)\r\n\r\n".utf8)
    }
}
