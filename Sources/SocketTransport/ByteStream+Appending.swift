extension ByteStream {
    /// Appends bytes that have arrived to `output`, without waiting.
    ///
    /// Like ``receive(into:)``, but the memory need not have been filled before, which for a large
    /// body costs a tenth of its reading. `output` must have room.
    package func receive(
        appendingTo output: inout OutputSpan<UInt8>
    ) throws(TransportError) -> ReceiveOutcome {
        // SAFETY: the bytes behind `count` are ours to write. They are handed out as if they had
        // been written, but a stream only writes there, and as many as it says it has written count.
        try unsafe output.withUnsafeMutableBufferPointer {
            buffer,
            count throws(TransportError) -> ReceiveOutcome in
            let free = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
            var target = unsafe MutableSpan(_unsafeElements: free)
            let outcome = try receive(into: &target)
            if case .bytes(let received) = outcome { count += received }
            return outcome
        }
    }
}
