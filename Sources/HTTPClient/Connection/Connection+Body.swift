internal import SocketTransport
internal import Wire

/// Where the reading of the present body stands, beside what the exchange knows.
struct BodyReadState {
    /// A part of the connection's input that belongs to the body and is not yet passed on.
    struct Pending {
        var range: Range<Int>
        let consumed: Int
    }

    var pending: Pending?
    var hasDecoded = false
    /// The decoder stopped at the limit and may hold more output.
    var isStalled = false
    /// The body has content codings to undo: every byte goes through the decoder, or is refused.
    var isCoded = false
    /// Why the codings cannot be undone; thrown when the first byte of the body comes.
    var codingError: WireError?
    /// Bytes so far, as framed.
    var bytes = 0

    /// Shorter rests are read through the connection's buffer: they may share a read with what
    /// follows.
    static let directMinimum = 16 << 10
    static let directMaximum = 64 << 10
    /// Bytes after which others on the loop have their turn.
    static let maxBytesPerTurn = 1 << 20

    enum Progress {
        /// Bytes were appended, or may be by calling again.
        case more
        /// Nothing is left of what has been received.
        case needMore
        /// The body is complete.
        case end(HTTPHeaders)
    }
}

extension Connection {
    /// Receives the whole body into `call.body`, decoded, at most as much as the plan collects.
    nonisolated(nonsending) func collectBody(_ call: Attempt) async throws(ExchangeError) {
        let mostBytes = call.plan.collectLimit
        // A local: an array in the call would be looked after by the runtime while we wait.
        var body = call.takeBody()
        if body.isEmpty, let length = exchange.remainingLength, length <= mostBytes {
            // Reserve what was announced, but do not let an announcement alone take much memory.
            body.reserveCapacity(Int(min(length, 1 << 20)))
        }
        var unbroken = 0
        do throws(ExchangeError) {
            while true {
                // One byte more than allowed shows that there is more, without collecting it.
                let room = mostBytes - body.count + 1
                let progress = try readBodyAtOnce(into: &body, atMost: room, call)
                if body.count > mostBytes { throw ExchangeError.collectLimit(mostBytes) }
                switch progress {
                case .more:
                    continue
                case .end(let trailers):
                    call.body = body
                    call.trailers = trailers
                    return
                case .needMore:
                    try await waitForBody(call)
                    let before = body.count
                    try receiveBody(into: &body, atMost: room, call)
                    // A peer that always has more to send must not keep the loop for itself.
                    unbroken += max(body.count - before, input?.count ?? 0)
                    if unbroken >= BodyReadState.maxBytesPerTurn {
                        unbroken = 0
                        await Task.yield()
                    }
                }
            }
        } catch {
            // The caller's limit was passed before the decoder's: it was looked at in this order.
            let isOverLimit = body.count > mostBytes
            if isOverLimit { body.removeLast(body.count - mostBytes) }
            call.body = body
            throw isOverLimit ? ExchangeError.collectLimit(mostBytes) : error
        }
    }

    /// Collects what has been received of the body into `call.body`, without waiting.
    ///
    /// - Returns: true when that was all of it; else ``collectBody(_:)`` goes on.
    func collectBodyAtOnce(_ call: Attempt) throws(ExchangeError) -> Bool {
        let length: Int
        switch framing {
        case .noBody: length = 0
        case .length(let announced): length = announced
        case .chunked, .untilClose: return false
        }
        guard length <= call.plan.collectLimit, !readState.isCoded,
            let received = input, length <= received.count
        else { return false }
        if length > 0 {
            call.body = received.bytes(0..<length)
            input?.consume(length)
            exchange.recordDirectRead(length)
            readState.bytes += length
            call.metrics.bodyBytesReceived += length
        }
        guard case .end(let trailers) = try nextBodyPart() else { return false }
        call.trailers = trailers
        return true
    }

    /// Gets ready to read the body that follows the call's head.
    func beginBody(_ call: Attempt) {
        readState = BodyReadState()
        if decoder != nil { decoder = nil }
        guard let head = call.head, call.plan.decompression == .on,
            call.plan.head.method != .head, head.headers.contains(.contentEncoding)
        else { return }
        beginDecoding(head.headers, call)
    }

    @inline(never)
    private func beginDecoding(_ headers: HTTPHeaders, _ call: Attempt) {
        do {
            decoder = try ContentDecoder(headers, limits: call.plan.limits)
            readState.isCoded = decoder != nil
        } catch {
            readState.isCoded = true
            readState.codingError = error
        }
    }

    /// Appends up to `limit` bytes of decoded body to `output`; waits until there are some.
    ///
    /// Then it goes on only while reads fill their room, which means that more is there already.
    nonisolated(nonsending) func readBody(
        into output: inout [UInt8],
        atMost limit: Int,
        _ call: Attempt
    ) async throws(ExchangeError) -> BodyReadState.Progress {
        let start = output.count
        while true {
            let room = limit - (output.count - start)
            let progress = try readBodyAtOnce(into: &output, atMost: room, call)
            guard case .needMore = progress else { return progress }
            if output.count > start {
                guard socket.mayHaveUnreadInput, !isReceivingEnded else { return .more }
            } else {
                try await waitForBody(call)
            }
            let before = output.count
            try receiveBody(into: &output, atMost: limit - (output.count - start), call)
            if output.count == before, before > start, input?.isEmpty ?? true { return .more }
        }
    }

    /// Appends up to `limit` bytes of decoded body to `output` out of what has been received.
    private func readBodyAtOnce(
        into output: inout [UInt8],
        atMost limit: Int,
        _ call: Attempt
    ) throws(ExchangeError) -> BodyReadState.Progress {
        let start = output.count
        while output.count - start < limit {
            if readState.pending != nil || readState.isStalled {
                try passOn(to: &output, room: limit - (output.count - start))
                continue
            }
            switch try nextBodyPart() {
            case .bytes(let range, let consumed):
                readState.bytes += range.count
                if readState.bytes > call.partLength { throw call.partFailure(readState.bytes) }
                call.metrics.bodyBytesReceived += range.count
                readState.pending = BodyReadState.Pending(range: range, consumed: consumed)
            case .end(let trailers):
                if exchange.strictness == .forensic {
                    call.record(exchange.bodyDiagnostics, in: .body)
                }
                if call.part != nil, readState.bytes != call.partLength {
                    throw call.partFailure(readState.bytes)
                }
                try finishDecoding()
                return .end(trailers)
            case .needMore:
                return .needMore
            }
        }
        return .more
    }

    private nonisolated(nonsending) func waitForBody(_ call: Attempt) async throws(ExchangeError) {
        try call.checkTotal()
        let end = min(call.deadline(call.plan.timeouts.readIdle), call.drainDeadline)
        try await waitReadable(until: end, call)
    }

    /// Reads once, straight into `output` where that is possible; finding nothing is no error.
    private func receiveBody(
        into output: inout [UInt8],
        atMost limit: Int,
        _ call: Attempt
    ) throws(ExchangeError) {
        if let length = directLength(limit: limit) {
            try receiveDirectly(into: &output, length, call)
        } else {
            _ = try fillInput(call)
        }
    }

    /// How much may be read straight into the caller's array; nil when it must go through the
    /// buffer, because it is coded, framed in chunks, or short.
    private func directLength(limit: Int) -> Int? {
        guard !readState.isCoded, input?.isEmpty ?? false, !isReceivingEnded,
            let rest = exchange.remainingLength, rest >= BodyReadState.directMinimum,
            limit >= BodyReadState.directMinimum
        else { return nil }
        return min(rest, limit, BodyReadState.directMaximum)
    }

    /// Reads once, straight into `output`, which grows by at most `length` bytes of body.
    private func receiveDirectly(
        into output: inout [UInt8],
        _ length: Int,
        _ call: Attempt
    ) throws(ExchangeError) {
        var outcome = ReceiveOutcome.wouldBlock
        do {
            try output.append(addingCapacity: length) { room throws(TransportError) in
                outcome = try stream.receive(appendingTo: &room)
            }
        } catch {
            throw .transport(error)
        }
        switch outcome {
        case .bytes(let count):
            exchange.recordDirectRead(count)
            readState.bytes += count
            call.metrics.bytesReceived += count
            call.metrics.bodyBytesReceived += count
        case .wouldBlock: break
        case .end, .truncated: isReceivingEnded = true
        }
    }

    /// Passes on what is pending, decoded when it is coded.
    private func passOn(to output: inout [UInt8], room: Int) throws(ExchangeError) {
        let range = readState.pending?.range ?? 0..<0
        guard readState.isCoded else {
            let taken = min(range.count, room)
            input?.append(range.lowerBound..<range.lowerBound + taken, to: &output)
            advance(by: taken)
            return
        }
        if let fault = readState.codingError { throw .wire(fault) }
        readState.hasDecoded = readState.hasDecoded || !range.isEmpty
        let before = output.count
        do {
            let taken = try input?.withBytes { bytes throws(WireError) in
                try decoder?.decode(bytes.extracting(range), into: &output, outputLimit: room) ?? 0
            }
            readState.isStalled = output.count - before == room
            advance(by: taken ?? 0)
        } catch {
            throw .wire(error)
        }
    }

    private func advance(by count: Int) {
        guard let part = readState.pending else { return }
        let rest = part.range.lowerBound + count..<part.range.upperBound
        if rest.isEmpty {
            input?.consume(part.consumed)
            readState.pending = nil
        } else {
            readState.pending?.range = rest
        }
    }

    /// A coded body must end where its coding ends; an empty one need not have begun.
    private func finishDecoding() throws(ExchangeError) {
        guard readState.hasDecoded else { return }
        do {
            try decoder?.finish()
        } catch {
            throw .wire(error)
        }
    }
}

extension Connection {
    /// Says how far throwing a body away has come.
    enum DrainResult {
        /// The body is complete.
        case ended
        /// Nothing is left of what has come.
        case needMore
        /// The budget is used up.
        case tooMuch
    }

    /// Throws away what has come of the body, undecoded, without waiting.
    ///
    /// The budget falls by the bytes of body that were thrown away.
    ///
    /// - Returns: how far that came.
    /// - Throws: what is wrong with the body or the stream.
    func drainBodyAtOnce(
        _ budget: inout Int,
        _ call: Attempt
    ) throws(ExchangeError) -> DrainResult {
        if let part = readState.pending.take() {
            budget -= part.range.count
            input?.consume(part.consumed)
        }
        readState.isStalled = false
        while budget >= 0 {
            switch try nextBodyPart() {
            case .bytes(let range, let consumed):
                budget -= range.count
                readState.bytes += range.count
                input?.consume(consumed)
            case .end: return .ended
            case .needMore:
                // At the peer's end the next look at the body says so.
                guard !isReceivingEnded else { continue }
                if case .wouldBlock = try fillInput(call) { return .needMore }
            }
        }
        return .tooMuch
    }

    /// Throws the body away, and waits for it.
    ///
    /// - Returns: false when it is longer than the budget.
    nonisolated(nonsending) func drainBody(
        atMost bytes: Int,
        until deadline: Deadline,
        _ call: Attempt
    ) async throws(ExchangeError) -> Bool {
        var budget = bytes
        while true {
            switch try drainBodyAtOnce(&budget, call) {
            case .ended: return true
            case .tooMuch: return false
            case .needMore: try await waitReadable(until: deadline, call)
            }
        }
    }

    /// Says whether the connection could carry another exchange if the rest of the body were read,
    /// and the rest may be as short as that.
    func canDrain(atMost bytes: Int, _ call: Attempt) -> Bool {
        guard bytes > 0, call.plan.keepsConnection, call.plan.contentLengthPolicy == .trusted,
            !call.scope.isCancelled, !isReceivingEnded, !exchange.hasAmbiguousFraming,
            exchange.requestBodyAction == .complete,
            exchange.remainingLength ?? 0 <= bytes, let head = call.head,
            let framing = try? BodyFraming.ofResponse(
                to: call.plan.head.method,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        else { return false }
        let reason = ConnectionPersistence.closeReason(
            request: call.plan.head,
            response: head,
            framing: framing
        )
        return reason == nil
    }
}
