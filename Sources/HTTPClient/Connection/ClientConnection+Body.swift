internal import SocketTransport
internal import Wire

/// The state of reading the current body, in addition to the state of the exchange.
struct BodyReadState {
    /// A part of the connection's input that belongs to a coded body and has not been decoded.
    struct Pending {
        var range: Range<Int>
        let consumed: Int
    }

    var pending: Pending?
    var hasDecoded = false
    /// Whether the decoder stopped early and may have more output.
    var isStalled = false
    /// Whether the body has content codings to decode; then every byte goes through the decoder.
    var isCoded = false
    /// Why the codings cannot be decoded; thrown when the first byte of the body arrives.
    var codingError: WireError?
    /// The bytes read so far, before decoding.
    var bytes = 0
    /// The bytes received since other work on the loop had a turn.
    var bytesOfTurn = 0

    /// The minimum number of remaining body bytes that are read directly into the caller's array.
    ///
    /// Fewer bytes are read through the connection's buffer, where one read may also receive the
    /// bytes that follow.
    static let directMinimum = 16 << 10
    static let directMaximum = 64 << 10
    /// The bytes after which other work on the loop gets a turn, and deadlines are checked.
    static let maxBytesPerTurn = 1 << 20
    /// The same for a body with content codings, of which a hostile byte takes up to 0.3 µs to decode.
    static let maxCodedBytesPerTurn = 64 << 10
    /// The bytes that a task reads inline on another thread before other tasks get a turn there.
    static let maxInlineBytesPerTurn = 4 << 20

    /// Whether other work on the loop comes before the next read.
    var isTurnOver: Bool {
        bytesOfTurn >= (isCoded ? Self.maxCodedBytesPerTurn : Self.maxBytesPerTurn)
    }

    enum Progress {
        /// Bytes were appended, or the next call may append some.
        case more
        /// The decoder stopped early and must be called again; other work on the loop comes first.
        case turnEnded
        /// All received bytes are used.
        case needMore
        /// The body is complete.
        case end(HTTPHeaders)
    }
}

extension ClientConnection {
    /// Receives the whole body into `attempt.received.body`, decoded, up to the plan's collect limit.
    nonisolated(nonsending) func collectBody(_ attempt: RequestAttempt) async throws(ExchangeError)
    {
        let mostBytes = attempt.plan.shared.collectLimit
        // A local variable: the runtime would track accesses to a stored array during a wait.
        var body = attempt.takeBody()
        if body.isEmpty, let length = exchange.readRemainingLength(), length <= mostBytes {
            // Reserve at most 1 MiB: a large Content-Length alone must not use much memory.
            body.reserveCapacity(Int(min(length, 1 << 20)))
        }
        do throws(ExchangeError) {
            while true {
                if attempt.limits.pacing != nil { try await waitWhilePaused(attempt) }
                // One byte beyond the limit shows that the body is longer.
                let room = mostBytes - body.count + 1
                let progress = try readBodyAtOnce(into: &body, atMost: room, attempt)
                if body.count > mostBytes { throw ExchangeError.collectLimit(mostBytes) }
                switch progress {
                case .more:
                    continue
                case .turnEnded:
                    try await endTurn(attempt)
                case .end(let trailers):
                    attempt.received.body = body
                    attempt.received.trailers = trailers
                    return
                case .needMore:
                    if readState.isTurnOver { try await endTurn(attempt) }
                    try await waitForBody(attempt)
                    try receiveBody(into: &body, atMost: room, attempt)
                }
            }
        } catch {
            // Check the caller's limit first: it was exceeded before the decoder's.
            let isOverLimit = body.count > mostBytes
            if isOverLimit { body.removeLast(body.count - mostBytes) }
            attempt.received.body = body
            throw isOverLimit ? ExchangeError.collectLimit(mostBytes) : error
        }
    }

    /// Collects the received part of the body into `attempt.received.body`, without waiting.
    ///
    /// - Returns: true if the body is complete; otherwise ``collectBody(_:)`` must read the rest.
    func collectBodyAtOnce(_ attempt: RequestAttempt) throws(ExchangeError) -> Bool {
        let length: Int
        switch responseBody.framing {
        case .noBody: length = 0
        case .length(let announced): length = announced
        case .chunked, .untilClose: return false
        }
        guard length <= attempt.plan.shared.collectLimit, !readState.isCoded,
            let count = input?.count, length <= count
        else { return false }
        guard
            case .end(let trailers) = try copyBody(
                to: &attempt.received.body,
                atMost: length,
                attempt
            )
        else { return false }
        attempt.received.trailers = trailers
        return true
    }

    /// Prepares to read the body that follows the attempt's response head.
    func beginBody(_ attempt: RequestAttempt) {
        readState = BodyReadState()
        if decoder != nil { decoder = nil }
        guard responseBody.hasContentEncoding, attempt.plan.decompression == .on,
            attempt.plan.head.method != .head, let head = attempt.received.head,
            head.status != .partialContent
        else { return }
        beginDecoding(head.headers, attempt)
    }

    @inline(never)
    private func beginDecoding(_ headers: HTTPHeaders, _ attempt: RequestAttempt) {
        do {
            decoder = try ContentDecoder(headers, limits: attempt.plan.limits)
            readState.isCoded = decoder != nil
        } catch {
            readState.isCoded = true
            readState.codingError = error
        }
    }

    /// Appends up to `limit` bytes of decoded body to `output`; waits until there are some.
    ///
    /// After the first bytes it continues only while reads fill their buffer, because then more
    /// bytes have probably arrived, and at most until the end of its turn on the loop.
    nonisolated(nonsending) func readBody(
        into output: inout [UInt8],
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> BodyReadState.Progress {
        let start = output.count
        while true {
            if attempt.limits.pacing != nil { try await waitWhilePaused(attempt) }
            let room = limit - (output.count - start)
            let progress = try readBodyAtOnce(into: &output, atMost: room, attempt)
            switch progress {
            case .more, .end: return progress
            case .turnEnded:
                try await endTurn(attempt)
                if output.count > start { return .more }
                continue
            case .needMore:
                // A wait for bytes is a turn for the other work, too.
                guard readState.isTurnOver, !wasDrained else { break }
                try await endTurn(attempt)
                if output.count > start { return .more }
            }
            if output.count > start {
                // With a rate limit, each read needs its own allowance.
                guard !socket.wasDrained, !isReceivingEnded,
                    attempt.limits.pacing?.limitsDownload != true
                else {
                    attempt.recordBytes()
                    return .more
                }
            } else {
                try await waitForBody(attempt)
            }
            let before = output.count
            try receiveBody(into: &output, atMost: limit - (output.count - start), attempt)
            if output.count == before, before > start, input?.isEmpty ?? true { return .more }
        }
    }

    /// Appends up to `limit` bytes of the body that have arrived, without waiting.
    ///
    /// It appends nothing if anything else may have to be done: at the end of the body, to decode
    /// it, to limit its rate, to send the rest of the request, or to give other work a turn. Then
    /// ``readBody(into:atMost:_:)`` must be called. `output` is empty before.
    func readArrivedBody(
        into output: inout [UInt8],
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) {
        guard beginReadingArrived(limit, attempt) else { return }
        try appendArrived(to: &output, atMost: limit, attempt)
    }

    /// Prepares to read up to `limit` bytes of the body that have arrived.
    ///
    /// - Returns: false if anything else may have to be done; then nothing may be read.
    func beginReadingArrived(_ limit: Int, _ attempt: RequestAttempt) -> Bool {
        // An inline read gives the loop back each time, so its turn is longer: it is only for the
        // other tasks of the thread.
        let isInline = socket.loop.isRunningInline
        let turn = isInline ? BodyReadState.maxInlineBytesPerTurn : BodyReadState.maxBytesPerTurn
        guard mayHaveUnreadInput, readState.bytesOfTurn < turn, unreadLength(attempt) > limit,
            attempt.limits.pacing == nil, attempt.limits.throughput == nil, upload == nil,
            !attempt.scope.isCancelled
        else { return false }
        if isInline { socket.beginOneShotEvents() }
        return true
    }

    /// Appends up to `limit` bytes to the empty `output` until the socket has no more.
    func appendArrived(
        to output: inout [UInt8],
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) {
        while let length = directLength(limit: limit - output.count) {
            let before = output.count
            try receiveDirectly(into: &output, length, attempt)
            readState.bytesOfTurn += output.count - before
            if output.count == before || wasDrained { break }
        }
        // On the loop, progress is recorded before each wait and at the end of each turn.
        if socket.loop.isRunningInline || wasDrained { attempt.recordBytes() }
    }

    /// Appends up to `limit` bytes of decoded body to `output` from the received bytes.
    func readBodyAtOnce(
        into output: inout [UInt8],
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) -> BodyReadState.Progress {
        let start = output.count
        while output.count - start < limit {
            let room = limit - (output.count - start)
            let progress =
                readState.isCoded
                ? try decodeBody(to: &output, atMost: room, attempt)
                : try copyBody(to: &output, atMost: room, attempt)
            switch progress {
            case .more: continue
            case .needMore, .turnEnded: return progress
            case .end(let trailers):
                if exchange.strictness == .forensic {
                    attempt.record(exchange.bodyDiagnostics, in: .body)
                }
                if attempt.received.part != nil, readState.bytes != attempt.received.partLength {
                    throw attempt.partFailure(readState.bytes)
                }
                try finishDecoding()
                return .end(trailers)
            }
        }
        return .more
    }

    /// Appends up to `limit` bytes of a body without content codings, from any number of chunks.
    private func copyBody(
        to output: inout [UInt8],
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) -> BodyReadState.Progress {
        guard let received = input else { preconditionFailure("leased connections have one") }
        var batch = BodyBatch(consumed: 0, state: .needMore)
        do throws(WireError) {
            let start = output.count
            defer {
                readState.bytes += output.count - start
                attempt.trace.metrics.bodyBytesReceived += output.count - start
            }
            try received.withBytes { bytes throws(WireError) in
                let room = min(limit, bytes.count)
                guard room > 0 else {
                    // Appending nothing to an empty array writes to the storage that all empty arrays share.
                    var none = OutputSpan<UInt8>()
                    batch = try exchange.receiveBody(bytes, into: &none)
                    return
                }
                try output.append(addingCapacity: room) { target throws(WireError) in
                    batch = try exchange.receiveBody(bytes, into: &target)
                }
            }
        } catch {
            // The error may be behind the end of the range.
            try checkPart(&output, attempt)
            throw .wire(error)
        }
        input?.consume(batch.consumed)
        try checkPart(&output, attempt)
        switch batch.state {
        case .outputFull: return .more
        case .needMore: return isReceivingEnded ? .end(try endOfStream()) : .needMore
        case .end(let trailers): return .end(trailers)
        }
    }

    /// Checks that the body has no more bytes than its range, and removes the excess from `output`.
    private func checkPart(
        _ output: inout [UInt8],
        _ attempt: RequestAttempt
    ) throws(ExchangeError) {
        guard readState.bytes > attempt.received.partLength else { return }
        output.removeLast(readState.bytes - attempt.received.partLength)
        throw attempt.partFailure(readState.bytes)
    }

    /// Appends up to `limit` bytes of a decoded body, from one chunk.
    ///
    /// The decoder reads the coded bytes in the receive buffer, without a copy.
    private func decodeBody(
        to output: inout [UInt8],
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) -> BodyReadState.Progress {
        guard readState.pending == nil, !readState.isStalled else {
            let before = output.count
            try decodePending(to: &output, atMost: limit)
            return readState.isStalled && output.count - before < limit ? .turnEnded : .more
        }
        switch try nextBodyPart() {
        case .bytes(let range, let consumed):
            readState.bytes += range.count
            if readState.bytes > attempt.received.partLength {
                throw attempt.partFailure(readState.bytes)
            }
            attempt.trace.metrics.bodyBytesReceived += range.count
            readState.pending = BodyReadState.Pending(range: range, consumed: consumed)
            return .more
        case .end(let trailers): return .end(trailers)
        case .needMore: return .needMore
        }
    }

    nonisolated(nonsending) func waitForBody(
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) {
        attempt.recordBytes()
        try attempt.check(min(attempt.limits.totalDeadline, attempt.limits.drainDeadline))
        if wasDrained { readState.bytesOfTurn = 0 }
        if attempt.limits.pacing != nil { return try await waitForPacedBody(attempt) }
        try await waitReadable(until: bodyDeadline(attempt), attempt)
    }

    /// The deadline of a wait for the body that begins now.
    func bodyDeadline(_ attempt: RequestAttempt) -> Deadline {
        min(attempt.deadline(attempt.plan.timeouts.readIdle), attempt.limits.drainDeadline)
    }

    /// Reads once, directly into `output` if possible; if no bytes are available, that is not an error.
    private func receiveBody(
        into output: inout [UInt8],
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) {
        let received = attempt.trace.metrics.bytesReceived
        defer { readState.bytesOfTurn += attempt.trace.metrics.bytesReceived - received }
        guard attempt.limits.pacing?.limitsDownload != true else {
            _ = try fillInput(attempt, atMost: attempt.downloadAllowance)
            return
        }
        if let length = directLength(limit: limit) {
            try receiveDirectly(into: &output, length, attempt)
        } else {
            _ = try fillInput(attempt)
        }
    }

    /// Returns how many bytes may be read directly into the caller's array.
    ///
    /// - Returns: nil if the body must go through the buffer because it is coded, chunked or short.
    private func directLength(limit: Int) -> Int? {
        guard !readState.isCoded, input?.isEmpty ?? false, !isReceivingEnded,
            let rest = exchange.readRemainingLength(), rest >= BodyReadState.directMinimum,
            limit >= BodyReadState.directMinimum
        else { return nil }
        return min(rest, limit, BodyReadState.directMaximum)
    }

    /// Reads once, directly into `output`, which grows by at most `length` bytes of body.
    private func receiveDirectly(
        into output: inout [UInt8],
        _ length: Int,
        _ attempt: RequestAttempt
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
        case .bytes(let count): recordDirectRead(count, attempt)
        case .wouldBlock: break
        case .end, .truncated: receiving = .ended
        }
    }

    /// Records bytes of the body that did not go through the connection's buffer.
    func recordDirectRead(_ count: Int, _ attempt: RequestAttempt) {
        exchange.recordDirectRead(count)
        readState.bytes += count
        attempt.trace.metrics.bytesReceived += count
        attempt.trace.metrics.bodyBytesReceived += count
    }

    /// Decodes the pending bytes.
    private func decodePending(
        to output: inout [UInt8],
        atMost limit: Int
    ) throws(ExchangeError) {
        let range = readState.pending?.range ?? 0..<0
        if let error = readState.codingError { throw .wire(error) }
        readState.hasDecoded = readState.hasDecoded || !range.isEmpty
        // A few coded bytes can become megabytes.
        let room = min(limit, BodyReadState.maxBytesPerTurn)
        do {
            let taken = try input?.withBytes { bytes throws(WireError) in
                try decoder?.decode(bytes.extracting(range), into: &output, outputLimit: room) ?? 0
            }
            readState.isStalled = decoder?.hasPendingOutput ?? false
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

    /// Throws if a coded body ends before its coding does; an empty body has no coding to finish.
    private func finishDecoding() throws(ExchangeError) {
        guard readState.hasDecoded else { return }
        do {
            try decoder?.finish()
        } catch {
            throw .wire(error)
        }
    }
}

extension ClientConnection {
    /// The progress of discarding a body.
    enum DrainResult {
        /// The body is complete.
        case ended
        /// All received bytes are used.
        case needMore
        /// There may be more to read, but other work on the loop comes first.
        case turnEnded
        /// The budget is used up.
        case tooMuch
    }

    /// Discards the received part of the body, without decoding and without waiting.
    ///
    /// The budget decreases by the number of body bytes discarded.
    ///
    /// - Returns: the progress.
    /// - Throws: an error in the body or the stream.
    func drainBodyAtOnce(
        _ budget: inout Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) -> DrainResult {
        if let part = readState.pending.take() {
            budget -= part.range.count
            input?.consume(part.consumed)
        }
        readState.isStalled = false
        let begin = attempt.trace.metrics.bytesReceived
        while budget >= 0 {
            switch try nextBodyPart() {
            case .bytes(let range, let consumed):
                budget -= range.count
                readState.bytes += range.count
                input?.consume(consumed)
            case .end: return .ended
            case .needMore:
                // At the end of the stream, the next call of `nextBodyPart()` returns or throws.
                guard !isReceivingEnded else { continue }
                guard attempt.trace.metrics.bytesReceived - begin < BodyReadState.maxBytesPerTurn
                else {
                    return .turnEnded
                }
                if case .wouldBlock = try fillInput(attempt) { return .needMore }
            }
        }
        return .tooMuch
    }

    /// Returns whether the rest of the body may fit in `bytes`, and the connection can be reused after
    /// reading it.
    func canDrain(atMost bytes: Int, _ attempt: RequestAttempt) -> Bool {
        guard bytes > 0, attempt.plan.keepsConnection,
            attempt.plan.shared.contentLengthPolicy == .trusted,
            !attempt.scope.isCancelled, !isReceivingEnded, !exchange.hasAmbiguousFraming,
            exchange.requestBodyAction == .complete,
            exchange.readRemainingLength() ?? 0 <= bytes, let head = attempt.received.head,
            let framing = try? BodyFraming.ofResponse(
                to: attempt.plan.head.method,
                status: head.status,
                version: head.version,
                headers: head.headers
            )
        else { return false }
        let reason = ConnectionPersistence.closeReason(
            request: attempt.plan.head,
            response: head,
            framing: framing
        )
        return reason == nil
    }
}
