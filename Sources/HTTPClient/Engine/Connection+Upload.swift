internal import SocketTransport
internal import Wire

/// Keeps what is left of a request's body when its answer has begun.
///
/// A server may answer while it reads, piece by piece. Whoever reads the answer sends the rest
/// meanwhile: if both sides sent first and read later, they would wait for each other for ever.
struct Upload {
    fileprivate let bytes: ArraySlice<UInt8>
    fileprivate var offset: Int
    /// When the whole body must be sent.
    fileprivate let end: Deadline
    fileprivate var movedLast = Deadline.now()

    init(_ bytes: ArraySlice<UInt8>, from offset: Int, until end: Deadline) {
        self.bytes = bytes
        self.offset = offset
        self.end = end
    }
}

extension Connection {
    /// Whether an answer has begun that wants the rest of the body.
    ///
    /// Before the protocol changes the request has to be complete (RFC 9110 §7.8), so a 101 waits.
    func isAnsweredWhileSending(_ call: Call) -> Bool {
        guard call.phase == .sendingBody, let status = call.head?.status else { return false }
        return status.kind == .successful
    }

    /// Sends what can be sent without waiting.
    ///
    /// A peer that takes no more has said what it had to say in its answer.
    ///
    /// - Returns: what to wait for besides room to send, or instead: something to read.
    func advanceUpload(_ call: Call) throws(ExchangeFailure) -> Readiness {
        guard var rest = upload.take() else { return .readable }
        do {
            let isRestEmpty = rest.offset == rest.bytes.count
            let sent = isRestEmpty ? 0 : try stream.send(rest.bytes.span.extracting(rest.offset...))
            rest.offset += sent
            call.metrics.bytesSent += UInt64(sent)
            if sent > 0 { rest.movedLast = .now() }
            if rest.offset == rest.bytes.count, try stream.flush() {
                exchange.requestSent()
                call.metrics.sentMark = .now()
                return .readable
            }
        } catch {
            guard case .closedByPeer = error else { throw .transport(error) }
            return .readable
        }
        upload = rest
        try checkUpload(call)
        return [.readable, .writable]
    }

    /// Throws when the whole body should have been sent by now.
    func checkUpload(_ call: Call) throws(ExchangeFailure) {
        guard let rest = upload, rest.end <= .now() else { return }
        call.phase = .sendingBody
        throw .transport(.timedOut(.write))
    }

    /// When the rest of the body must be sent; never when there is none.
    var uploadEnd: Deadline { upload?.end ?? .never }

    /// Sends the rest of the body behind a complete answer: a success means all of it.
    @inline(never)
    nonisolated(nonsending) func finishUpload(_ call: Call) async throws(ExchangeFailure) {
        while true {
            _ = try advanceUpload(call)
            guard let rest = upload else { return }
            call.phase = .sendingBody
            try call.checkTotal()
            try call.checkPace()
            let idle = call.deadline(call.plan.bounds.writeIdle, from: rest.movedLast)
            let deadline = min(idle, rest.end)
            do {
                try await stream.wait(for: .writable, until: min(deadline, call.paceEnd))
            } catch {
                try call.continueWait(after: error, until: deadline)
            }
        }
    }
}
