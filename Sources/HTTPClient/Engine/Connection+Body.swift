internal import SocketTransport
internal import Wire

extension Connection {
    /// Receives the whole body into `call.body`, decoded, at most `plan.collectLimit` octets.
    nonisolated(nonsending) func collectBody(
        _ head: ResponseHead,
        _ plan: Plan,
        _ call: Call
    ) async throws(ExchangeFailure) {
        var reader = BodyReader(head, plan)
        if let length = exchange?.remainingLength, length <= UInt64(plan.collectLimit) {
            // Reserve what was announced, but do not let an announcement alone take much memory.
            call.body.reserveCapacity(Int(min(length, 1 << 20)))
        }
        while true {
            let room = plan.collectLimit - call.body.count
            // One octet more than allowed shows that there is more, without collecting it.
            let step = try await reader.read(from: self, into: &call.body, atMost: room + 1, call)
            guard call.body.count <= plan.collectLimit else {
                call.body.removeLast(call.body.count - plan.collectLimit)
                throw .collectLimit(plan.collectLimit)
            }
            if case .end(let trailers) = step {
                call.trailers = trailers
                return
            }
        }
    }

    /// Reads once, straight into `output`, which grows by at most `length` octets of body.
    func receiveDirectly(
        into output: inout [UInt8],
        _ length: Int,
        _ call: Call
    ) throws(ExchangeFailure) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: length))
        let outcome: ReceiveOutcome
        do {
            var all = output.mutableSpan
            var target = all.extracting(start...)
            outcome = try stream.receive(into: &target)
        } catch {
            output.removeLast(length)
            throw .transport(error)
        }
        var received = 0
        switch outcome {
        case .bytes(let count):
            received = count
            exchange?.consumedDirectly(UInt64(count))
            bodyOctets += UInt64(count)
            call.metrics.bytesReceived += UInt64(count)
            call.metrics.bodyBytesReceived += UInt64(count)
        case .wouldBlock: break
        case .end, .truncated: isReceivingEnded = true
        }
        output.removeLast(length - received)
    }
}
