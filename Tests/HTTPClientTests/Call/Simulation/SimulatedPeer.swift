import ClientSupport
import Glibc
import SocketTransport
import Support

/// A server on the thread of a simulation, in simulated time.
///
/// It acts when the client's loop has nothing left to do. It listens on a Unix domain socket, so
/// that the client's sockets, buffers and readiness are real.
final class SimulatedPeer {
    /// The history of one request.
    struct Record {
        let method: String
        var arrivals = 0
        /// The answer to the last arrival.
        var answer: SimulatedAnswer?
        /// The time at which the last answer was written completely.
        var completedAt: Deadline?
        var lastWrite = Deadline.never
        /// The number of the connection that the last arrival used.
        var connection = 0
    }

    /// One connection, numbered in the order of accepting, which is also the client's numbering.
    final class Connection {
        let number: Int
        var descriptor: Int32
        var host: String?
        var inbox: [UInt8] = []
        var outbox: [UInt8] = []
        var requests = 0
        /// Bytes of the request body that have not arrived yet.
        var bodyLeft = 0
        var request: SimulatedRequest?
        var answer: SimulatedAnswer?
        var ignoresInput = false
        /// Whether the peer has closed the connection, is going to close it, or sent bytes that are not HTTP.
        var isBroken = false
        var isOpen: Bool { descriptor >= 0 }

        init(number: Int, descriptor: Int32) {
            self.number = number
            self.descriptor = descriptor
        }
    }

    private struct Action {
        let time: Deadline
        let serial: Int
        let act: () -> Void
    }

    /// The body of the largest request; every other request body is a prefix of it.
    private static let body = [UInt8](repeating: 0x62, count: 400_000)
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private let listener: Int32
    private let answers: SimulatedAnswers
    private let limits: (perHost: Int, total: Int)
    private let log: SimulationLog
    private let violated: (String) -> Void
    private var random: SeededGenerator
    private var agenda: [Action] = []
    private var serial = 0
    private(set) var connections: [Connection] = []
    private(set) var records: [Int: Record] = [:]

    /// Creates a peer.
    ///
    /// - Parameters:
    ///   - name: The name of the abstract socket.
    ///   - answers: The generator of answers.
    ///   - limits: The client's connection limits.
    ///   - seed: The seed of all random choices.
    ///   - log: The log that receives all events.
    ///   - violated: Called with a description of each violation.
    init(
        name: String,
        answers: SimulatedAnswers,
        limits: (perHost: Int, total: Int),
        seed: UInt64,
        log: SimulationLog,
        violated: @escaping (String) -> Void
    ) throws {
        listener = try TestSocket.listen(unix: "\0" + name)
        self.answers = answers
        self.limits = limits
        self.log = log
        self.violated = violated
        random = SeededGenerator(seed: seed)
    }

    deinit {
        for connection in connections where connection.isOpen { Glibc.close(connection.descriptor) }
        Glibc.close(listener)
    }

    var openConnections: Int { connections.count { $0.isOpen } }

    // MARK: - Time

    /// The time of the next action.
    var nextTime: Deadline { agenda.map(\.time).min() ?? .never }

    /// Performs the next action.
    func act() {
        guard let next = agenda.indices.min(by: { isEarlier(agenda[$0], agenda[$1]) }) else {
            return
        }
        agenda.remove(at: next).act()
    }

    /// Discards all scheduled actions; their closures retain the peer.
    func stop() { agenda = [] }

    private func isEarlier(_ left: Action, _ right: Action) -> Bool {
        (left.time, left.serial) < (right.time, right.serial)
    }

    private func schedule(after delay: Int64, _ act: @escaping () -> Void) {
        serial += 1
        let time = Deadline.now().advanced(byNanoseconds: delay)
        agenda.append(Action(time: time, serial: serial, act: act))
    }

    // MARK: - Bytes

    /// Reads, writes and accepts as much as possible, and returns whether anything happened.
    func pump() -> Bool {
        var hasMoved = false
        for connection in connections where connection.isOpen {
            if receive(connection) { hasMoved = true }
            if flush(connection) { hasMoved = true }
        }
        while let descriptor = TestSocket.accept(listener) {
            accept(descriptor)
            hasMoved = true
        }
        // Checked last, when all closes are known: a client may have given up in the accept queue.
        if !hasMoved, openConnections > limits.total {
            violated("\(openConnections) connections are open")
        }
        return hasMoved
    }

    private func accept(_ descriptor: Int32) {
        let connection = Connection(number: connections.count + 1, descriptor: descriptor)
        connections.append(connection)
        log.note("accepted \(connection.number)")
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
            // Closing with unread bytes sends a reset.
            connection.ignoresInput = true
            connection.isBroken = true
            schedule(after: answers.delays.randomElement(using: &random)!) { [self] in
                close(connection)
            }
        case 1:
            connection.ignoresInput = true
            schedule(after: answers.delays.randomElement(using: &random)!) {
                connection.ignoresInput = false
            }
        default: break
        }
    }

    private func receive(_ connection: Connection) -> Bool {
        if connection.ignoresInput { return seesHangUp(connection) }
        var hasMoved = false
        while connection.isOpen, !connection.ignoresInput {
            let count = unsafe recv(connection.descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN { break }
            hasMoved = true
            guard count > 0 else {
                log.note("client closed \(connection.number)")
                drop(connection)
                break
            }
            connection.inbox += buffer[..<count]
            advance(connection)
        }
        return hasMoved
    }

    /// Polls for a hang-up, because a peer that does not read cannot see it otherwise.
    private func seesHangUp(_ connection: Connection) -> Bool {
        var question = pollfd(fd: connection.descriptor, events: 0, revents: 0)
        guard unsafe poll(&question, 1, 0) > 0 else { return false }
        log.note("client hung up \(connection.number)")
        drop(connection)
        return true
    }

    private func drop(_ connection: Connection) {
        Glibc.close(connection.descriptor)
        connection.descriptor = -1
        connection.outbox = []
    }

    private func close(_ connection: Connection) {
        guard connection.isOpen else { return }
        log.note("closes \(connection.number)")
        connection.isBroken = true
        drop(connection)
    }

    // MARK: - Requests

    private func advance(_ connection: Connection) {
        if connection.bodyLeft > 0 {
            let count = min(connection.bodyLeft, connection.inbox.count)
            connection.bodyLeft -= count
            if unsafe memcmp(connection.inbox, Self.body, count) != 0 {
                violated("wrong request body")
            }
            connection.inbox.removeFirst(count)
            if connection.bodyLeft == 0, connection.answer == nil {
                begin(connection, isEarly: false)
            }
        }
        guard !connection.inbox.isEmpty, connection.bodyLeft == 0 else { return }
        guard connection.request == nil else {
            violated("bytes after a request that is not answered yet")
            return
        }
        guard let end = headEnd(connection.inbox) else { return }
        let head = String(decoding: connection.inbox[..<end], as: UTF8.self)
        connection.inbox.removeFirst(end)
        read(head, connection)
        advance(connection)
    }

    private func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 3..<bytes.count
        where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10
            && bytes[index - 3] == 13
        {
            return index + 1
        }
        return nil
    }

    private func read(_ head: String, _ connection: Connection) {
        var fields: [String: String] = [:]
        let lines = head.split(separator: "\r\n")
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts[1].trimmingPrefix(" ").description
        }
        let method = lines[0].split(separator: " ")[0].description
        guard let id = fields["x-id"].flatMap({ Int($0) }), let host = fields["host"] else {
            violated("a request without number or host: \(head)")
            return
        }
        let record = records[id] ?? Record(method: method)
        let request = SimulatedRequest(
            id: id,
            method: method,
            host: host,
            bodyCount: fields["content-length"].flatMap { Int($0) } ?? 0,
            arrival: record.arrivals + 1
        )
        check(request, after: record, on: connection)
        records[id] = record
        records[id]?.arrivals += 1
        records[id]?.connection = connection.number
        records[id]?.answer = nil
        records[id]?.completedAt = nil
        connection.host = host
        connection.request = request
        connection.requests += 1
        connection.bodyLeft = request.bodyCount
        log.note("\(method) \(id) on \(connection.number)")
        let isEarly =
            request.bodyCount > connection.inbox.count
            && Int.random(in: 0..<4, using: &random) == 0
        if request.bodyCount == 0 || isEarly { begin(connection, isEarly: isEarly) }
    }

    /// Reports a violation if this request must not arrive on this connection.
    private func check(_ request: SimulatedRequest, after record: Record, on own: Connection) {
        if let host = own.host, host != request.host { violated("a connection has two hosts") }
        let siblings = connections.count {
            $0.isOpen && ($0.host == request.host || $0.number == own.number)
        }
        if siblings > limits.perHost { violated("\(siblings) connections to \(request.host)") }
        let limit = request.method == "POST" ? 1 : 2
        if request.arrival > limit { violated("\(request.method) \(request.id) arrived again") }
        guard request.arrival == 2 else { return }
        if record.lastWrite != .never { violated("retried although an answer had begun") }
        if connections[record.connection - 1].requests < 2 {
            violated("retried although its connection was fresh")
        }
    }

    // MARK: - Answers

    private func begin(_ connection: Connection, isEarly: Bool) {
        guard let request = connection.request else { return }
        let answer = answers.draw(for: request, isEarly: isEarly, &random)
        if isEarly, Bool.random(using: &random) { connection.ignoresInput = true }
        connection.answer = answer
        if answer.isLast { connection.isBroken = true }
        records[request.id]?.answer = answer
        next(0, connection)
    }

    private func next(_ index: Int, _ connection: Connection) {
        guard let answer = connection.answer, index < answer.steps.count else {
            // A peer that falls silent within an answer is not ready for another request.
            if connection.answer?.fault == nil { endAnswer(connection) }
            return
        }
        // The answer is complete with its last byte, before the client can read that byte.
        if case .complete = answer.steps[index].step {
            perform(index, connection)
            return
        }
        schedule(after: answer.steps[index].delay) { [self] in
            perform(index, connection)
        }
    }

    private func perform(_ index: Int, _ connection: Connection) {
        guard let answer = connection.answer, let request = connection.request else { return }
        switch answer.steps[index].step {
        case .write(let bytes):
            guard connection.isOpen else { return }
            connection.outbox += bytes
            if answer.fault == .garbage { connection.isBroken = true }
            // Bytes after the answer belong to no request, so they do not count as its last write.
            records[request.id]?.lastWrite = .now()
            afterFlush[connection.number] = index + 1
            _ = flush(connection)
            return
        case .complete:
            records[request.id]?.completedAt = .now()
            log.note("answered \(request.id)")
            if index + 1 < answer.steps.count, connection.isOpen {
                linger(answer.steps[index + 1], connection)
                return
            }
        case .close:
            close(connection)
        }
        next(index + 1, connection)
    }

    /// The next step of each connection once its written bytes have been sent.
    private var afterFlush: [Int: Int] = [:]

    private func flush(_ connection: Connection) -> Bool {
        guard let index = afterFlush[connection.number] else { return false }
        guard connection.isOpen else {
            afterFlush[connection.number] = nil
            return false
        }
        var hasMoved = false
        while !connection.outbox.isEmpty {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = unsafe send(
                connection.descriptor,
                connection.outbox,
                connection.outbox.count,
                flags
            )
            if count < 0 {
                if errno == EAGAIN { return hasMoved }
                drop(connection)
                afterFlush[connection.number] = nil
                return true
            }
            connection.outbox.removeFirst(count)
            hasMoved = true
            if let id = connection.request?.id { records[id]?.lastWrite = .now() }
        }
        afterFlush[connection.number] = nil
        next(index, connection)
        return true
    }

    /// Ends the answer, and schedules a last action on the connection.
    ///
    /// If another request arrives first, the action happens before or during its answer.
    private func linger(
        _ last: (delay: Int64, step: SimulatedAnswer.Step),
        _ connection: Connection
    ) {
        endAnswer(connection)
        schedule(after: last.delay) { [self] in
            guard connection.isOpen else { return }
            switch last.step {
            case .write(let bytes):
                // During a request a client would take the garbage for a response.
                guard connection.request == nil, connection.inbox.isEmpty, !connection.ignoresInput
                else { return }
                log.note("garbage on \(connection.number)")
                connection.isBroken = true
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                _ = unsafe send(connection.descriptor, bytes, bytes.count, flags)
            case .close: close(connection)
            case .complete: break
            }
        }
    }

    private func endAnswer(_ connection: Connection) {
        connection.answer = nil
        connection.request = nil
    }
}
