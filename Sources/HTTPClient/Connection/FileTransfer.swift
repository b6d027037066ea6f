package import SocketTransport

/// The buffers that carry a response body from the loop to the thread that writes a file.
///
/// Each step fills either the pipe or the array. On a connection without TLS, a body that nothing
/// has to look at goes through the pipe: the kernel moves it. All other bodies go through the
/// array, which is reused.
package final class FileTransfer: @unchecked Sendable {
    // Sendable because the loop and the file thread use it in turn: the file thread awaits the
    // loop, and writes what it returned.

    /// The outcome of one step on the loop.
    package enum Batch: Sendable {
        /// Bytes have to be written, with ``FileTransfer/write(_:orBytes:)``.
        case bytes
        case end
    }

    /// The bytes of one step that goes through memory.
    static let bufferSize = 256 << 10
    /// The remaining length from which a pipe is worth its four system calls.
    private static let minPiped = 256 << 10

    var bytes: [UInt8] = []
    /// The pipe; nil until it is needed.
    private(set) var pipe: TransferPipe?
    /// Whether the kernel may move the body; false after it refused.
    private var canPipe: Bool
    /// The number of bytes that went through the pipe.
    package private(set) var pipedBytes = 0

    /// Creates the buffers for one body.
    ///
    /// - Parameter isInspected: whether the caller has to see the bytes, so that the array is used.
    package init(isInspected: Bool = false) {
        canPipe = !isInspected
    }

    /// Returns the pipe for a body with at least `rest` more bytes; nil if it must be copied.
    func pipe(forRest rest: Int) -> TransferPipe? {
        guard canPipe else { return nil }
        if pipe == nil, rest >= Self.minPiped {
            // Without a descriptor or memory for a pipe, the body is copied.
            pipe = try? TransferPipe()
            canPipe = pipe != nil
        }
        return pipe
    }

    /// The number of bytes to write to the file.
    var count: Int { (pipe?.count ?? 0) + bytes.count }

    /// Removes the bytes of the last step, which have been written.
    func clear() { bytes.removeAll(keepingCapacity: true) }

    /// Makes the rest of the body go through memory.
    func disablePipe() { canPipe = false }

    /// Returns the empty array with room for a step; give it back by setting ``bytes``.
    ///
    /// An array must not stay in a property while it changes during a wait.
    func takeBuffer() -> [UInt8] {
        clear()
        var buffer: [UInt8] = []
        swap(&buffer, &bytes)
        return buffer
    }

    /// Writes the bytes of the last step, with one of two closures; call on the file thread.
    ///
    /// - Parameters:
    ///   - writePipe: writes all bytes of a pipe.
    ///   - writeBytes: writes bytes in memory.
    /// - Throws: the error of the closure.
    package func write<Failure>(
        _ writePipe: (TransferPipe) throws(Failure) -> Void,
        orBytes writeBytes: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        guard let pipe, pipe.count > 0 else { return try writeBytes(bytes) }
        let count = pipe.count
        try writePipe(pipe)
        pipedBytes += count
        // The pages of the pipe would only be copied again.
        if pipe.isRefused { disablePipe() }
    }
}
