/// A stream that runs TLS over another stream.
///
/// Bytes passed to ``send(_:)`` are encrypted and sent at once, with one call of the underlying
/// stream per 64 KiB. Ciphertext that the underlying stream does not accept stays in the buffer
/// until ``flush()``.
///
/// Loop-confined, so the runtime's checks for overlapping accesses are disabled.
package final class TLSStream: ByteStream {
    private let engine: TLSEngine
    private let underlying: any ByteStream
    @safe @exclusivity(unchecked) private var isClosed = false
    @safe @exclusivity(unchecked) private var isCancelled = false
    /// Whether the last fill left free space, which means that no more bytes had arrived.
    @safe @exclusivity(unchecked) private var isDrained = false
    /// The loop on which the handshake waits for the caller's evaluator.
    private let loop: EventLoop?
    @safe @exclusivity(unchecked) private var evaluation: Suspension<HTTPTrustEvaluator.Decision>?

    /// - Parameters:
    ///   - engine: an engine whose handshake has not begun.
    ///   - underlying: the stream that carries the ciphertext.
    ///   - loop: the loop of the streams; required only for a context with an evaluator.
    package init(engine: TLSEngine, over underlying: any ByteStream, on loop: EventLoop? = nil) {
        self.engine = engine
        self.underlying = underlying
        self.loop = loop
    }

    /// The values negotiated so far; created at each access, so read it once.
    package var sessionInfo: TLSSessionInfo { engine.sessionInfo }

    /// The negotiated ALPN name; nil if there is none.
    package var applicationProtocol: String? { engine.applicationProtocol }

    /// The name that a client requested in SNI; server side only.
    package var requestedServerName: String? { engine.requestedServerName }

    /// The peer's public key as DER SubjectPublicKeyInfo, for pins; copied at each access.
    package var peerPublicKey: [UInt8]? { engine.peerPublicKey }

    /// Whether a newer context has taken the place of the stream's (``TLSContext/isReplaced``).
    package var isOutdated: Bool { engine.context.isReplaced }

    /// Whether the engine has unread input: a read may succeed without the underlying stream.
    package var hasUnreadInput: Bool { engine.hasUnreadInput }

    /// Frees the memory of empty buffers of ciphertext; later reads and writes allocate it again.
    package func releaseEmptyBuffers() {
        engine.releaseEmptyBuffers()
    }

    package func cancelWait() {
        isCancelled = true
        evaluation?.cancelWait()
        underlying.cancelWait()
    }

    /// Sends close-notify if that is possible without waiting, then closes the underlying stream.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        engine.shutDown()
        pushIgnoringFailure()
        underlying.close()
    }
}

// MARK: - Handshake

extension TLSStream {
    /// Performs the handshake and sends its last flight to the underlying stream.
    ///
    /// - Parameters:
    ///   - deadline: the time at which the handshake fails.
    ///   - onEvaluation: called before the context's evaluator is asked about the peer.
    /// - Throws: `.tls` with the reason; `.timedOut(.tlsHandshake)`; `.cancelled`; or an error of
    ///   the underlying stream. A reset by the peer counts as a close. The caller must then close
    ///   the stream.
    package nonisolated(nonsending) func handshake(
        until deadline: Deadline,
        onEvaluation: ((HTTPTrustEvaluator.Peer) -> Void)? = nil
    ) async throws(TransportError) {
        var canSend = true
        while true {
            guard deadline == .never || .now() < deadline else { throw .timedOut(.tlsHandshake) }
            let step = try stepHandshake()
            // With TLS 1.3, the client's certificate and Finished message are sent only after the
            // decision.
            if step == .done, let pending = engine.pendingEvaluation {
                onEvaluation?(pending.peer)
                try await evaluate(pending.evaluator, pending.peer, until: deadline)
            }
            if canSend { canSend = try pushHandshake() }
            let isPushed = engine.outputCount == 0
            if step == .done, isPushed { return }
            var readiness: Readiness = step == .done ? [] : .readable
            if !isPushed { readiness.insert(.writable) }
            do {
                try await underlying.wait(for: readiness, until: deadline)
            } catch .timedOut {
                throw .timedOut(.tlsHandshake)
            }
            if step == .needsInput { try receiveHandshake() }
        }
    }

    /// Waits for the caller's evaluator, which runs on another executor.
    private nonisolated(nonsending) func evaluate(
        _ evaluator: HTTPTrustEvaluator,
        _ peer: HTTPTrustEvaluator.Peer,
        until deadline: Deadline
    ) async throws(TransportError) {
        guard let loop else {
            throw .tls(
                engine.rejectPeer(
                    .internalError(reason: "a trust evaluator requires an event loop")
                )
            )
        }
        let suspension = Suspension<HTTPTrustEvaluator.Decision>(on: loop, phase: .tlsHandshake)
        if isCancelled { suspension.cancelWait() }
        evaluation = suspension
        defer { evaluation = nil }
        let waiting = LoopBound(suspension, on: loop)
        let task = Task(executorPreference: globalConcurrentExecutor) {
            let verdict = await evaluator.evaluate(peer)
            loop.post { waiting.value.resume(returning: verdict) }
        }
        let verdict: HTTPTrustEvaluator.Decision
        do {
            verdict = try await suspension.wait(until: deadline)
        } catch {
            task.cancel()
            _ = engine.rejectPeer(.failed(.vetoed(reason: "the trust evaluator did not answer")))
            throw error
        }
        switch verdict {
        case .accept:
            engine.acceptPeer()
        case .refuse(let reason):
            guard case .refused(let failure) = peer.verification else {
                throw .tls(engine.rejectPeer(.failed(.vetoed(reason: reason))))
            }
            throw .tls(engine.rejectPeer(.failed(failure)))
        }
    }

    private func stepHandshake() throws(TransportError) -> TLSEngine.HandshakeStep {
        do throws(TLSError) {
            return try engine.stepHandshake()
        } catch {
            // Try once to send the alert with the reason to the peer.
            pushIgnoringFailure()
            throw .tls(error)
        }
    }

    /// Sends pending handshake output.
    ///
    /// - Returns: false if the peer no longer accepts data. Its earlier data must still be read,
    ///   because it explains more than the send error.
    private func pushHandshake() throws(TransportError) -> Bool {
        do throws(TransportError) {
            try push()
            return true
        } catch {
            guard error.isPeerDisconnect else { throw error }
            engine.discardOutput()
            return false
        }
    }

    private func receiveHandshake() throws(TransportError) {
        do throws(TransportError) {
            _ = try fill()
        } catch {
            guard error.isPeerDisconnect else { throw error }
            engine.feedEndOfStream()
        }
    }
}

// MARK: - Moving bytes

extension TLSStream {
    package func receive(
        into buffer: inout MutableSpan<UInt8>
    ) throws(TransportError) -> ReceiveOutcome {
        isDrained = false
        while true {
            let outcome: TLSEngine.ReadOutcome
            do throws(TLSError) {
                outcome = try engine.read(into: &buffer)
            } catch {
                pushIgnoringFailure()
                throw .tls(error)
            }
            switch outcome {
            case .bytes(let count):
                return .bytes(count)
            case .closed:
                return .end
            case .truncated:
                return .truncated
            case .needsInput:
                // After a short read the underlying stream is empty, and another read would only
                // cost a system call. Its wait returns at once if more bytes have arrived.
                if isDrained { return .wouldBlock }
                if try fill() == .wouldBlock { return .wouldBlock }
            }
        }
    }

    /// Reads data that a peer may send on an idle connection: session tickets and key updates.
    ///
    /// - Returns: whether the connection is still usable. It is false if the peer closed the
    ///   connection, broke the protocol or sent application data, which is then lost.
    package func drainPendingInput() -> Bool {
        var byte: InlineArray<1, UInt8> = [0]
        var span = byte.mutableSpan
        do throws(TransportError) {
            return try receive(into: &span) == .wouldBlock
        } catch {
            return false
        }
    }

    package func send(_ bytes: Span<UInt8>) throws(TransportError) -> Int {
        // Pending ciphertext is sent first, so that 0 means the same as without TLS.
        try pushOrDiscard()
        var total = 0
        while total < bytes.count, engine.outputCount == 0 {
            let before = total
            do throws(TLSError) {
                total += try engine.write(bytes.extracting(total..<bytes.count))
            } catch {
                if before > 0 { return before }
                throw .tls(error)
            }
            if total == before { break }
            let count = engine.outputCount
            do throws(TransportError) {
                try pushOrDiscard { left in
                    // Some of the bytes may have reached the peer. The next call reports the error.
                    if left == count { total = before }
                }
            } catch {
                if total > 0 { return total }
                throw error
            }
        }
        return total
    }

    package func flush() throws(TransportError) -> Bool {
        try pushOrDiscard()
        guard engine.outputCount == 0 else { return false }
        return try underlying.flush()
    }

    package nonisolated(nonsending) func wait(
        for readiness: Readiness,
        until deadline: Deadline
    ) async throws(TransportError) {
        guard !isCancelled else { throw .cancelled }
        if readiness.contains(.readable), engine.hasUnreadInput { return }
        var needed = readiness
        if engine.outputCount > 0 {
            // The peer may be waiting for these bytes before it sends the expected data.
            do throws(TransportError) {
                try pushOrDiscard()
            } catch {
                // The peer receives no more, but its last bytes may have arrived.
                guard error.isPeerDisconnect, readiness.contains(.readable) else { throw error }
            }
            if engine.outputCount > 0 { needed.insert(.writable) }
        }
        let needsInput = engine.writeNeedsInput && readiness.contains(.writable)
        if needsInput {
            needed.remove(.writable)
            needed.insert(.readable)
        }
        try await underlying.wait(for: needed, until: deadline)
        if needsInput { _ = try fill() }
    }

    private func fill() throws(TransportError) -> ReceiveOutcome {
        try engine.fill { (room) throws(TransportError) in
            let outcome = try underlying.receive(into: &room)
            if case .bytes(let count) = outcome { isDrained = count < room.count }
            return outcome
        }
    }

    private func push() throws(TransportError) {
        while engine.outputCount > 0 {
            var taken = 0
            try engine.withOutput { (bytes) throws(TransportError) in
                taken = try underlying.send(bytes)
                return taken
            }
            if taken == 0 { return }
        }
    }

    /// Sends the output, and discards it if the peer receives no more: a read must not try to send it again.
    ///
    /// - Parameter failed: called before an error is thrown, with the number of bytes that were not sent.
    /// - Throws: the error of the underlying stream.
    private func pushOrDiscard(
        _ failed: (Int) -> Void = { _ in }
    ) throws(TransportError) {
        do throws(TransportError) {
            try push()
        } catch {
            failed(engine.outputCount)
            if error.isPeerDisconnect { engine.discardOutput() }
            throw error
        }
    }

    /// Sends output that is optional for the peer; errors are ignored, as the cause is known.
    private func pushIgnoringFailure() {
        do throws(TransportError) {
            try push()
        } catch {
            engine.discardOutput()
        }
    }
}

extension TransportError {
    /// Whether the peer closed the connection; false if this machine failed.
    fileprivate var isPeerDisconnect: Bool {
        switch self {
        case .closedByPeer: true
        case .readFailed(let errno), .writeFailed(let errno):
            errno == .connectionReset || errno == .brokenPipe || errno == .connectionAborted
        default: false
        }
    }
}

/// The first bytes of the peer's stream, to distinguish TLS from other protocols.
struct TLSRecordSniffer {
    private var type: UInt8?
    private var major: UInt8?

    var isIncomplete: Bool { major == nil }

    /// Examines received bytes; the caller passes each part of the stream once, in order.
    mutating func record(_ bytes: Span<UInt8>) {
        for index in bytes.indices {
            guard type == nil else {
                major = bytes[index]
                return
            }
            type = bytes[index]
        }
    }

    /// Whether the bytes are not a TLS record (RFC 8446 §5.1): type 20 to 23, version 3.x.
    var isNotTLS: Bool {
        guard let type else { return false }
        if type < 20 || type > 23 { return true }
        return major.map { $0 != 3 } ?? false
    }
}
