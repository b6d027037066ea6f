internal import SocketTransport
internal import Wire

/// Reads a body piece by piece and undoes its content coding.
struct BodyReader {
    enum Progress {
        /// Octets were appended, or may be by calling again.
        case more
        /// The body is complete.
        case end(HTTPHeaders)
    }

    /// A part of the connection's input that belongs to the body and is not yet passed on.
    private struct Pending {
        var range: Range<Int>
        let consumed: Int
    }

    /// Shorter rests are read through the connection's buffer: they may share a read with what
    /// follows.
    private static let directMinimum = 16 << 10
    private static let directMaximum = 64 << 10

    private var decoder: ContentDecoder?
    private var hasDecoded = false
    /// The decoder stopped at the limit and may hold more output.
    private var isHeldUp = false
    private var pending: Pending?

    init(_ head: ResponseHead, _ plan: Plan) {
        guard plan.decompression == .on, plan.head.method != .head else { return }
        decoder = ContentDecoder(headers: head.headers, limits: plan.limits)
    }

    /// Appends up to `limit` octets of decoded body to `output`; waits until there are some.
    ///
    /// Returns after one read of the stream at the latest, so that a caller can check its limits.
    nonisolated(nonsending) mutating func read(
        from connection: Connection,
        into output: inout [UInt8],
        atMost limit: Int,
        _ call: Call
    ) async throws(ExchangeFailure) -> Progress {
        let start = output.count
        while output.count - start < limit {
            if pending != nil || isHeldUp {
                try passOn(from: connection, to: &output, room: limit - (output.count - start))
                continue
            }
            switch try connection.nextBodyPart() {
            case .bytes(let range, let consumed):
                connection.bodyOctets += UInt64(range.count)
                call.metrics.bodyBytesReceived += UInt64(range.count)
                pending = Pending(range: range, consumed: consumed)
            case .end(let trailers):
                try finish()
                return .end(trailers)
            case .needMore:
                if output.count > start { return .more }
                let deadline = call.deadline(call.timeouts.readIdle)
                if let length = directLength(connection, limit: limit) {
                    let stream = connection.stream
                    do {
                        try await stream.wait(for: .readable, until: deadline)
                    } catch {
                        throw .transport(error)
                    }
                    try connection.receiveDirectly(into: &output, length, call)
                } else {
                    try await connection.fillInputWaiting(until: deadline, call)
                }
            }
        }
        return .more
    }

    /// How much may be read straight into the caller's array; nil when it must go through the
    /// buffer, because it is coded, framed in chunks, or short.
    private func directLength(_ connection: Connection, limit: Int) -> Int? {
        guard decoder == nil, connection.input?.isEmpty ?? false, !connection.isReceivingEnded,
            let rest = connection.exchange?.remainingLength, rest >= UInt64(Self.directMinimum),
            limit >= Self.directMinimum
        else { return nil }
        return Int(min(rest, UInt64(min(limit, Self.directMaximum))))
    }

    private mutating func passOn(
        from connection: Connection,
        to output: inout [UInt8],
        room: Int
    ) throws(ExchangeFailure) {
        let range = pending?.range ?? 0..<0
        guard decoder != nil else {
            let taken = min(range.count, room)
            connection.input?.append(
                range.lowerBound..<range.lowerBound + taken,
                to: &output
            )
            advance(taken, connection)
            return
        }
        hasDecoded = hasDecoded || !range.isEmpty
        let before = output.count
        do {
            let taken = try connection.input?.withBytes { bytes throws(WireError) in
                try decoder?.decode(bytes.extracting(range), into: &output, outputLimit: room)
            }
            isHeldUp = output.count - before == room
            advance((taken ?? nil) ?? range.count, connection)
        } catch {
            throw .wire(error)
        }
    }

    private mutating func advance(_ count: Int, _ connection: Connection) {
        guard let part = pending else { return }
        let rest = part.range.lowerBound + count..<part.range.upperBound
        if rest.isEmpty {
            connection.input?.consume(part.consumed)
            pending = nil
        } else {
            pending?.range = rest
        }
    }

    /// A coded body must end where its coding ends; an empty one need not have begun.
    private mutating func finish() throws(ExchangeFailure) {
        guard hasDecoded else { return }
        do {
            try decoder?.finish()
        } catch {
            throw .wire(error)
        }
    }
}
