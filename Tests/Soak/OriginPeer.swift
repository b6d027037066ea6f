import CSSL
import Glibc

/// One connection as the origin sees it: reads requests, plays answers, has afterthoughts.
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
    /// Octets of the request's body so far.
    private var received = 0
    private var requests = 0
    private var isReadingPaused = false

    private var steps: [Step] = []
    private var nextStep = 0
    private var sent = 0
    private var isSendingBlocked = false
    /// The answer is written; what follows it belongs to the next request.
    private var isAnswered = true
    private var afterthought: (Afterthought, milliseconds: Int)?
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

    /// - Returns: where what follows begins.
    private func takeHead(_ start: Int, _ count: Int) -> Int {
        if !isAnswered {
            origin.ledger.violate("octets came on a connection whose answer was not written yet")
            close()
            return count
        }
        var index = start
        while index < count {
            let octet = origin.buffer[index]
            head.append(octet)
            index += 1
            guard octet == 0x0a, head.count >= 4, head.suffix(4).elementsEqual([13, 10, 13, 10])
            else { continue }
            begin()
            return index
        }
        return index
    }

    /// - Returns: where what follows begins.
    private func takeBody(_ start: Int, _ count: Int) -> Int {
        guard let scenario else { return count }
        let end = min(count, start + scenario.requestLength - received)
        // A local: a span of a property of another object would not outlive its access.
        let buffer = origin.buffer
        let part = buffer.span.extracting(start..<end)
        if !scenario.requestContent.matches(part, at: received) {
            origin.ledger.violate("the body of request \(scenario.number) came in damaged")
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

    /// A head has come.
    private func begin() {
        let text = String(decoding: head, as: UTF8.self)
        head.removeAll(keepingCapacity: true)
        let lines = text.split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3, let target = Scenario.parse(target: words[1]),
            lines.contains("x-id: \(target.number)"), target.number < origin.ledger.mostRequests
        else {
            origin.ledger.violate("the origin got no request of ours: \(text.debugDescription)")
            return close()
        }
        let number = target.number
        let scenario = Scenario(seed: origin.seed, number: number, isAlone: target.isAlone)
        let length = lines.first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
        let announced = length.flatMap { Int($0) } ?? 0
        if words[0] != scenario.method.rawValue || announced != scenario.requestLength {
            origin.ledger.violate("request \(number) came with another's head: \(lines[0])")
        }
        origin.ledger.noteArrival(scenario)
        requests += 1
        self.scenario = scenario
        received = 0
        steps = []
        nextStep = 0
        isAnswered = false
        afterthought = nil
        reading = scenario.requestLength > 0 ? .body : .head
        switch scenario.fault {
        case .earlySuccess, .earlyRefusal, .rudeRefusal: answer(scenario)
        case .closeBefore where scenario.dice.isEarly: close()
        default: if scenario.requestLength == 0 { answer(scenario) }
        }
    }

    func readOn() {
        isReadingPaused = false
        updateInterest()
    }

    // MARK: - Answering

    private func answer(_ scenario: Scenario) {
        let answer = Answer(scenario, received: received)
        steps = answer.steps
        nextStep = 0
        sent = 0
        afterthought = answer.afterthought.map { ($0, answer.afterMilliseconds) }
        advance()
    }

    /// A pause is over.
    func goOn() {
        nextStep += 1
        advance()
    }

    /// Plays steps until one has to wait.
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
        if let afterthought {
            origin.schedule(
                .afterthought(requests: requests),
                self,
                in: afterthought.milliseconds
            )
        }
    }

    /// - Returns: false when it has to be called again, or the peer is gone.
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

    /// Time for the afterthought, unless a request has come in between.
    func reconsider(_ requests: Int) {
        guard !isClosed, requests == self.requests, isAnswered, head.isEmpty,
            let (thought, _) = afterthought
        else { return }
        switch thought {
        case .close: close()
        case .reset: reset()
        case .endSending: shutdown(descriptor, Int32(SHUT_WR))
        case .garbage: sendUnasked(Array("who is there?\r\n\r\n".utf8))
        case .answer: sendUnasked(Answer.poison)
        }
    }

    private func sendUnasked(_ bytes: [UInt8]) {
        // First the note: the client may be faster than the next line here.
        origin.setSpoilt(port: port, clientPort: clientPort)
        steps = [.send(bytes)]
        nextStep = 0
        sent = 0
        advance()
    }
}
