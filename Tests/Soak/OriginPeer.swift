import CSSL
import Glibc

/// The origin's end of one connection: it reads requests, sends responses and performs idle actions.
final class OriginPeer {
    let descriptor: Int32
    let generation: UInt32
    private let port: Int
    private let clientPort: Int
    private unowned let origin: SoakOrigin

    private enum Reading {
        case head
        case body
    }

    private var reading = Reading.head
    private var head: [UInt8] = []
    private var scenario: Scenario?
    /// The number of body bytes received for the current request.
    private var received = 0
    private var requests = 0
    private var isReadingPaused = false

    private var steps: [Step] = []
    private var nextStep = 0
    private var sent = 0
    private var isSendingBlocked = false
    /// Whether the response has been written, so that further bytes belong to the next request.
    private var isAnswered = true
    private var idleAction: (IdleAction, milliseconds: Int)?
    private var isClosed = false

    init(
        _ origin: SoakOrigin,
        _ descriptor: Int32,
        _ generation: UInt32,
        port: Int,
        clientPort: Int
    ) {
        self.origin = origin
        self.descriptor = descriptor
        self.generation = generation
        self.port = port
        self.clientPort = clientPort
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Glibc.close(descriptor)
        origin.forget(descriptor)
    }

    private func reset() {
        guard !isClosed else { return }
        isClosed = true
        LoopbackSocket.reset(descriptor)
        origin.forget(descriptor)
    }

    // MARK: - Receiving

    func receive() {
        guard !isClosed, !isReadingPaused else { return }
        let count = unsafe origin.buffer.withUnsafeMutableBytes {
            unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return close() }
        var start = 0
        while start < count, !isClosed {
            switch reading {
            case .body: start = takeBody(start, count)
            case .head: start = takeHead(start, count)
            }
        }
    }

    /// Consumes bytes of a head.
    ///
    /// - Returns: the position after the consumed bytes.
    private func takeHead(_ start: Int, _ count: Int) -> Int {
        if !isAnswered {
            origin.log.reportViolation(
                "bytes arrived before the response was written"
            )
            close()
            return count
        }
        var index = start
        while index < count {
            let byte = origin.buffer[index]
            head.append(byte)
            index += 1
            guard byte == 0x0a, head.count >= 4, head.suffix(4).elementsEqual([13, 10, 13, 10])
            else { continue }
            begin()
            return index
        }
        return index
    }

    /// Consumes bytes of a body.
    ///
    /// - Returns: the position after the consumed bytes.
    private func takeBody(_ start: Int, _ count: Int) -> Int {
        guard let scenario else { return count }
        let end = min(count, start + scenario.requestLength - received)
        // A local copy: a span of another object's property cannot outlive the access to it.
        let buffer = origin.buffer
        let part = buffer.span.extracting(start..<end)
        if !scenario.requestContent.matches(part, at: received) {
            origin.log.reportViolation("the body of request \(scenario.number) is damaged")
        }
        received += end - start
        if received == scenario.requestLength {
            reading = .head
            if steps.isEmpty { answer(scenario) }
        } else if scenario.fault == .slowReading {
            isReadingPaused = true
            updateInterest()
            origin.schedule(.read, self, in: 1)
        }
        return end
    }

    /// Handles a complete request head.
    private func begin() {
        let text = String(decoding: head, as: UTF8.self)
        head.removeAll(keepingCapacity: true)
        let lines = text.split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3, let target = Scenario.parse(target: words[1]),
            lines.contains("x-id: \(target.number)"), target.number < origin.log.maxRequests
        else {
            origin.log.reportViolation(
                "the origin got an unknown request: \(text.debugDescription)"
            )
            return close()
        }
        let number = target.number
        let scenario = Scenario(seed: origin.seed, number: number, isExclusive: target.isExclusive)
        let length = lines.first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
        let announced = length.flatMap { Int($0) } ?? 0
        if words[0] != scenario.method.rawValue || announced != scenario.requestLength {
            origin.log.reportViolation("request \(number) has a wrong head: \(lines[0])")
        }
        origin.log.recordArrival(scenario)
        requests += 1
        self.scenario = scenario
        received = 0
        steps = []
        nextStep = 0
        isAnswered = false
        idleAction = nil
        reading = scenario.requestLength > 0 ? .body : .head
        switch scenario.fault {
        case .earlySuccess, .earlyRejection, .rejectionWithReset: answer(scenario)
        case .closeBefore where scenario.random.isEarly: close()
        default: if scenario.requestLength == 0 { answer(scenario) }
        }
    }

    func resumeReading() {
        isReadingPaused = false
        updateInterest()
    }

    // MARK: - Responding

    private func answer(_ scenario: Scenario) {
        let answer = ResponseScript(scenario, received: received)
        steps = answer.steps
        nextStep = 0
        sent = 0
        idleAction = answer.idleAction.map { ($0, answer.idleMilliseconds) }
        advance()
    }

    /// Continues after a pause.
    func resumeSending() {
        nextStep += 1
        advance()
    }

    /// Performs steps until one has to wait.
    func advance() {
        while !isClosed, nextStep < steps.count {
            switch steps[nextStep] {
            case .send(let bytes):
                guard send(bytes) else { return }
                sent = 0
                nextStep += 1
            case .wait(let milliseconds):
                return origin.schedule(.step, self, in: milliseconds)
            case .endSending:
                shutdown(descriptor, Int32(SHUT_WR))
                nextStep += 1
            case .close: return close()
            case .reset: return reset()
            case .stall: return
            }
        }
        guard !isClosed, !isAnswered else { return }
        isAnswered = true
        if let idleAction {
            origin.schedule(
                .idleAction(requests: requests),
                self,
                in: idleAction.milliseconds
            )
        }
    }

    /// Sends the rest of `bytes`.
    ///
    /// - Returns: false if it must be called again, or if the peer is gone.
    private func send(_ bytes: [UInt8]) -> Bool {
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    descriptor,
                    $0.baseAddress! + sent,
                    $0.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else {
                    close()
                    return false
                }
                isSendingBlocked = true
                updateInterest()
                return false
            }
            sent += count
        }
        if isSendingBlocked {
            isSendingBlocked = false
            updateInterest()
        }
        return true
    }

    private func updateInterest() {
        guard !isClosed else { return }
        origin.watch(
            descriptor,
            (isReadingPaused ? 0 : EPOLLIN.rawValue) | (isSendingBlocked ? EPOLLOUT.rawValue : 0)
        )
    }

    /// Performs the idle action, unless a further request has arrived.
    func performIdleAction(_ requests: Int) {
        guard !isClosed, requests == self.requests, isAnswered, head.isEmpty,
            let (thought, _) = idleAction
        else { return }
        switch thought {
        case .close: close()
        case .reset: reset()
        case .endSending: shutdown(descriptor, Int32(SHUT_WR))
        case .garbage: sendUnsolicited(Array("who is there?\r\n\r\n".utf8))
        case .answer: sendUnsolicited(ResponseScript.unsolicitedResponse)
        }
    }

    private func sendUnsolicited(_ bytes: [UInt8]) {
        // Recorded first, because the client may read the bytes before the next line runs here.
        origin.setCorrupted(port: port, clientPort: clientPort)
        steps = [.send(bytes)]
        nextStep = 0
        sent = 0
        advance()
    }
}
