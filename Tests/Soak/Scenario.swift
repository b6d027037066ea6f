import HTTPClient

/// All decisions about one request; client and origin both derive them from the seed and the number.
struct Scenario: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
    }

    enum Framing: Sendable {
        case length
        case chunked
        case untilClose
    }

    /// How the caller ends the call early.
    enum CancellationPlan: Sendable {
        case never
        case cancels(afterMicroseconds: Int)
        case total(milliseconds: Int)
    }

    /// How the response body is read.
    enum Reading: Sendable {
        case collected
        case streamed
        /// Dropped after this number of pieces.
        case dropped(after: Int)
    }

    let number: Int
    /// Whether the caller does not share its connection, and so knows when it is idle.
    let isExclusive: Bool
    let method: Method
    /// The length of the request body in bytes.
    let requestLength: Int
    let status: Int
    /// The length of the response body in bytes, before content coding.
    let answerLength: Int
    let framing: Framing
    let isGzip: Bool
    let hasInterimAnswer: Bool
    let fault: Fault
    let cancellation: CancellationPlan
    let reading: Reading
    /// The source of details, such as where a response is cut.
    let random: SplitMix64

    /// The client's limit for collected bodies, in bytes.
    static let collectLimit = 256 << 10
    /// The client's timeout in milliseconds for requests whose fault is a stall.
    static let stallMilliseconds = 25

    init(seed: UInt64, number: Int, isExclusive: Bool = false) {
        var random = SplitMix64(seed: seed, number: number)
        self.number = number
        self.isExclusive = isExclusive
        let method: Method
        switch random.pick(0...99) {
        case ..<55: method = .get
        case ..<62: method = .head
        case ..<92: method = .post
        default: method = .put
        }
        let hasBody = method == .post || method == .put
        var fault = Fault.none
        var status = 200
        switch random.pick(0...999) {
        case ..<700 where isExclusive: fault = random.pick(Fault.betweenCalls)
        case _ where isExclusive: break
        case ..<90: fault = random.pick(Fault.common)
        case ..<130 where method != .head: fault = random.pick(Fault.ofBodies)
        case ..<134 where hasBody: fault = random.pick(Fault.ofUploads)
        case ..<170: status = random.pick([204, 304, 404, 503])
        default: break
        }
        if fault == .earlyRejection || fault == .rejectionWithReset { status = 413 }

        if !hasBody {
            requestLength = 0
        } else if Fault.ofUploads.contains(fault) {
            // More than the socket buffers can hold.
            requestLength = random.pick(2 << 20...4 << 20)
        } else {
            requestLength = Self.length(&random)
        }
        let isBodiless = status == 204 || status == 304
        var answerLength = isBodiless ? 0 : Self.length(&random)
        var framing = Framing.length
        if !isBodiless {
            switch random.pick(0...99) {
            case ..<30: framing = .chunked
            case ..<32: framing = .untilClose
            default: break
            }
        }
        var isGzip = !isBodiless && random.happens(200)
        switch fault {
        case .closeInBody, .resetInBody, .stallInBody:
            answerLength = max(answerLength, 2)
            // With this framing the end of the connection would be a valid end of the body.
            if framing == .untilClose { framing = .length }
        case .garbageInChunks:
            framing = .chunked
            answerLength = max(answerLength, 2)
        case .damagedGzip:
            isGzip = true
            answerLength = max(answerLength, 2)
        case .oversizedBody:
            answerLength = Self.collectLimit + random.pick(1...50_000)
        case .secondAnswer:
            // Short enough to share a segment with the unsolicited response.
            answerLength = min(answerLength, 2000)
            framing = .length
        case .lateGarbage, .lateAnswer, .lateClose, .lateHalfClose, .lateReset, .silentClose,
            .silentReset, .earlySuccess:
            if framing == .untilClose { framing = .length }
        case .earlyRejection, .rejectionWithReset:
            answerLength = min(answerLength, 2000)
            framing = .length
        default: break
        }
        // After a response to HEAD this framing means a close, for which the caller would not wait.
        if isExclusive, method == .head, framing == .untilClose { framing = .length }
        self.method = method
        self.status = status
        self.answerLength = answerLength
        self.framing = framing
        self.isGzip = isGzip
        self.fault = fault
        hasInterimAnswer = random.happens(30)
        switch random.pick(0...999) {
        case _ where isExclusive: cancellation = .never
        case ..<12: cancellation = .cancels(afterMicroseconds: random.pick(0...1500))
        case ..<20: cancellation = .total(milliseconds: random.pick(1...8))
        default: cancellation = .never
        }
        switch random.pick(0...99) {
        case ..<12 where fault != .oversizedBody: reading = .streamed
        case ..<16 where fault != .oversizedBody: reading = .dropped(after: random.pick(0...2))
        default: reading = .collected
        }
        self.random = random
    }

    /// The target of the request.
    var target: String { isExclusive ? "/\(number)/alone" : "/\(number)" }

    /// Parses a target; returns nil if it is not one of a scenario.
    static func parse(target: Substring) -> (number: Int, isExclusive: Bool)? {
        let parts = target.split(separator: "/", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts[0].isEmpty, let number = Int(parts[1]),
            parts.count == 2 || parts[2] == "alone"
        else { return nil }
        return (number, parts.count == 3)
    }

    private static func length(_ random: inout SplitMix64) -> Int {
        switch random.pick(0...99) {
        case ..<70: random.pick(0...400)
        case ..<96: random.pick(400...8000)
        default: random.pick(8000...120_000)
        }
    }

    /// Whether the client may send the request twice (RFC 9110 §9.2.2).
    var isIdempotent: Bool { method != .post }

    var requestContent: Content { Content(key: UInt64(number) << 1, length: requestLength) }
    var answerContent: Content { Content(key: UInt64(number) << 1 | 1, length: answerLength) }

    /// Whether the response has a body.
    var answersWithBody: Bool { method != .head && status != 204 && status != 304 }
}

extension SplitMix64 {
    /// Whether the origin closes after the head, before the body has arrived.
    var isEarly: Bool {
        var copy = self
        return copy.happens(300)
    }
}
