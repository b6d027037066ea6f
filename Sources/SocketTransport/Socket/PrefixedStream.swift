/// A stream that returns bytes that were read too early before the bytes of the stream beneath it.
///
/// A proxy's response and the first bytes of the tunnel may arrive in one read.
package final class PrefixedStream: ByteStream {
    private let underlying: any ByteStream
    private var prefix: ArraySlice<UInt8>

    /// - Parameters:
    ///   - prefix: the bytes to return first.
    ///   - underlying: the stream for everything else; this stream owns it from now on.
    package init(_ prefix: [UInt8], over underlying: any ByteStream) {
        self.prefix = prefix[...]
        self.underlying = underlying
    }

    package func receive(
        into buffer: inout MutableSpan<UInt8>
    ) throws(TransportError) -> ReceiveOutcome {
        guard !prefix.isEmpty else { return try underlying.receive(into: &buffer) }
        let count = min(prefix.count, buffer.count)
        for index in 0..<count { buffer[index] = prefix[prefix.startIndex + index] }
        prefix.removeFirst(count)
        return .bytes(count)
    }

    package func send(_ bytes: Span<UInt8>) throws(TransportError) -> Int {
        try underlying.send(bytes)
    }

    package func flush() throws(TransportError) -> Bool {
        try underlying.flush()
    }

    package nonisolated(nonsending) func wait(
        for readiness: Readiness,
        until deadline: Deadline
    ) async throws(TransportError) {
        if readiness.contains(.readable), !prefix.isEmpty { return }
        try await underlying.wait(for: readiness, until: deadline)
    }

    package func cancelWait() {
        underlying.cancelWait()
    }

    package func close() {
        prefix = []
        underlying.close()
    }
}
