import HTTPClient
import Support

/// The client's configuration and actions in a simulation, drawn from the seed.
struct SimulationPlan {
    enum PoolAction {
        case evict(UInt64)
        case drain
        case prewarm(Int, host: String)
    }

    var configuration = HTTPClient.Configuration()
    /// The calls of each caller, in order.
    var callers: [[SimulatedCall]] = []
    var poolActions: [(delay: Int64, action: PoolAction)] = []
    /// Possible delays in nanoseconds; some equal a timeout of the client exactly.
    let delays: [Int64]
    /// The client's idle timeout in nanoseconds.
    let idle: Int64

    private static let second: Int64 = 1_000_000_000

    init(_ random: inout SeededGenerator, socket: String) {
        func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
        let idleSeconds: Int64 = pick([1, 2, 5])
        idle = idleSeconds * Self.second
        var timeouts = HTTPTimeouts()
        timeouts.total = pick([nil, nil, .seconds(3), .seconds(7)])
        timeouts.queue = pick([.seconds(1), .seconds(4), .seconds(30)])
        timeouts.responseHead = pick([.seconds(1), .seconds(2), .seconds(5)])
        timeouts.readIdle = pick([.seconds(1), .seconds(2), .seconds(5)])
        timeouts.writeIdle = pick([.seconds(1), .seconds(4)])
        configuration.timeouts = timeouts
        configuration.maxConnectionsPerOrigin = pick([1, 2, 3])
        configuration.maxConnections = pick([1, 2, 4, 6])
        configuration.idleTimeout = .seconds(idleSeconds)
        configuration.maxConnectionAge = pick([.seconds(2), .seconds(600)])
        configuration.maxConnectionUses = pick([.max, .max, 1, 3])
        configuration.unreadBodyPolicy.bytes = pick([0, 2000, 64 << 10])
        configuration.proxy = .direct
        configuration.connectOptions.unixSocket = .abstract(socket)
        delays = [
            0, 0, 0, 0, 0, 1_000_000, 10_000_000, 300_000_000, Self.second, 2 * Self.second,
            3 * Self.second - 1, 5 * Self.second,
        ]
        let hosts = ["alpha", "beta", "gamma"].prefix(pick([1, 2, 3]))
        var id = 0
        for _ in 0..<pick([1, 3, 5]) {
            var calls: [SimulatedCall] = []
            for _ in 0..<pick([2, 4, 7]) {
                id += 1
                calls.append(SimulatedCall(id: id, hosts: Array(hosts), delays: delays, &random))
            }
            callers.append(calls)
        }
        for _ in 0..<pick([0, 0, 1, 3]) {
            let action: PoolAction =
                switch pick([0, 1, 2]) {
                case 0: .evict(UInt64.random(in: 1...4, using: &random))
                case 1: .drain
                default: .prewarm(pick([1, 2, 9]), host: pick(Array(hosts)))
                }
            poolActions.append((pick(delays), action))
        }
    }
}

/// One call of a simulation.
struct SimulatedCall: Sendable {
    enum Reading: Sendable {
        case collected
        case streamed
        /// Reads at least this many bytes and drops the rest.
        case left(Int)
    }

    let id: Int
    let request: HTTPRequest
    let reading: Reading
    /// Nanoseconds to wait before the call.
    let pause: Int64
    /// Nanoseconds from the start of the call until its task is canceled.
    let cancelAfter: Int64?

    init(id: Int, hosts: [String], delays: [Int64], _ random: inout SeededGenerator) {
        func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
        self.id = id
        let method: HTTPMethod = pick([.get, .get, .get, .post, .post, .put, .head])
        var request = HTTPRequest("http://\(pick(hosts))/\(id)", method: method)
        request.headers.append("x-id", String(id))
        if method == .post || method == .put {
            let count = pick([0, 1, 100, 100, 70_000, 400_000])
            request.body = .bytes([UInt8](repeating: 0x62, count: count))
        }
        self.request = request
        reading = pick([.collected, .collected, .collected, .streamed, .left(pick([0, 500]))])
        pause = pick(delays)
        cancelAfter = Int.random(in: 0..<8, using: &random) == 0 ? pick(delays) : nil
    }

    /// Makes the call.
    func execute(by client: HTTPClient) async -> SimulatedOutcome {
        do throws(HTTPError) {
            if case .collected = reading {
                return .answered(SimulatedOutcome.Answer(try await client.send(request)))
            }
            let response = try await client.stream(request)
            var body: [UInt8] = []
            var iterator = response.body.makeAsyncIterator()
            while true {
                if case .left(let count) = reading, body.count >= count { break }
                guard let bytes = try await iterator.next() else {
                    return .answered(SimulatedOutcome.Answer(response, body))
                }
                body += bytes
            }
            return .left(SimulatedOutcome.Answer(response, body))
        } catch {
            return .failed(error)
        }
    }
}

/// The result of a simulated call.
enum SimulatedOutcome: Sendable {
    struct Answer: Sendable {
        let id: String?
        let status: Int
        let body: [UInt8]
        let interim: Int
        let metrics: HTTPMetrics

        init(_ response: HTTPResponse) {
            id = response.headers["x-id"]
            status = response.status.code
            body = response.body
            interim = response.informational.count
            metrics = response.metrics
        }

        init(_ response: HTTPStreamedResponse, _ body: [UInt8]) {
            id = response.headers["x-id"]
            status = response.status.code
            self.body = body
            interim = response.informational.count
            metrics = response.metrics
        }
    }

    case answered(Answer)
    /// The body was not read to the end.
    case left(Answer)
    case failed(HTTPError)

    var name: String {
        switch self {
        case .answered: "answered"
        case .left: "left"
        case .failed(let error):
            switch error.kind {
            case .timedOut(let phase): "timed out in \(phase)"
            case .connectionLost: "connection lost"
            case .malformedResponse: "malformed"
            case .truncatedResponse: "truncated"
            case .cancelled: "cancelled"
            default: "\(error.kind)"
            }
        }
    }
}
