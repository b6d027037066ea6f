internal import SocketTransport

/// Holds the bounds of a call's phases in the clock's unit, so that each use is an addition.
///
/// Nanoseconds; `Int64.max` stands for no bound.
struct PhaseTimeouts: Sendable {
    let total: Int64
    /// Whether a timeout that begins when a request is sent is zero, so that nothing may be sent.
    let forbidsSending: Bool
    let queue: Int64
    let resolve: Int64
    let connect: Int64
    let establish: Int64
    let requestHead: Int64
    let requestBody: Int64
    let tlsHandshake: Int64
    let continueResponse: Int64
    var responseHead: Int64
    let readIdle: Int64
    let writeIdle: Int64
    /// nil when any pace will do.
    var throughput: ThroughputMonitor?

    init(_ timeouts: HTTPTimeouts) {
        total = Self.nanoseconds(timeouts.total)
        queue = Self.nanoseconds(timeouts.queue)
        resolve = Self.nanoseconds(timeouts.resolve)
        connect = Self.nanoseconds(timeouts.connect)
        establish = Self.nanoseconds(timeouts.establish)
        requestHead = Self.nanoseconds(timeouts.requestHead)
        requestBody = Self.nanoseconds(timeouts.requestBody)
        continueResponse = Self.nanoseconds(timeouts.continueResponse)
        tlsHandshake = Self.nanoseconds(timeouts.tlsHandshake)
        responseHead = Self.nanoseconds(timeouts.responseHead)
        readIdle = Self.nanoseconds(timeouts.readIdle)
        writeIdle = Self.nanoseconds(timeouts.writeIdle)
        forbidsSending =
            requestHead == 0 || requestBody == 0 || responseHead == 0 || readIdle == 0
            || writeIdle == 0
        throughput = timeouts.minimumThroughput.map { minimum in
            ThroughputMonitor(bytes: minimum.bytes, window: Self.nanoseconds(minimum.window))
        }
    }

    static func nanoseconds(_ duration: Duration?) -> Int64 {
        duration.map { Deadline(nanoseconds: 0).advanced(by: $0).nanoseconds } ?? .max
    }
}
