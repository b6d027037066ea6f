package import SocketTransport
private import Synchronization

/// The buffers that carry a response body from the loop to the thread that writes a file.
///
/// Each step fills the pipe, the array or the extent. On a connection without TLS, a body that nothing
/// has to look at goes through the pipe: the kernel moves it. The content of a stored response that is in
/// a file is copied from there. All other bodies go through the array, which is reused.
package final class FileTransfer: @unchecked Sendable {
    // Sendable because the loop and a file thread use it in turn: the file thread awaits the
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
    /// The bytes of one step if there are more transfers than threads for files.
    ///
    /// Without a limit, a step takes up to 1 MiB if the peer has sent as much, and so a connection that is
    /// ahead gets further ahead. With it, the steps have the same size, and all transfers the same share.
    /// It is also the size of their pipes: the kernel gives the pipes of one user 64 MiB by default
    /// (`/proc/sys/fs/pipe-user-pages-soft`), which a hundred pipes of 1 MiB would exceed.
    static let sharedStep = 256 << 10

    var bytes: [UInt8] = []
    /// The pipe; nil until it is needed.
    private(set) var pipe: TransferPipe?
    /// Whether the kernel may move the body; false after it refused.
    private var canPipe: Bool
    /// The bytes of the last step, if they are a part of another file.
    var extent: FileExtent?
    /// Whether the caller can copy an extent.
    let takesExtents: Bool
    /// The number of bytes that went through the pipe.
    package private(set) var pipedBytes = 0
    /// The transfers of the same client; nil before the first step.
    private var group: FileTransferGroup?

    /// Creates the buffers for one body.
    ///
    /// - Parameters:
    ///   - isInspected: whether the caller has to see the bytes, so that the array is used.
    ///   - takesExtents: whether ``write(_:orBytes:orExtent:)`` is called, so that an extent is used.
    package init(isInspected: Bool = false, takesExtents: Bool = false) {
        canPipe = !isInspected
        self.takesExtents = takesExtents && !isInspected
    }

    deinit { group?.leave() }

    /// Returns whether there are more transfers than threads for files.
    func sharesThreads(with transfers: FileTransferGroup) -> Bool {
        if group == nil {
            transfers.join()
            group = transfers
        }
        return transfers.count > FileThreads.maxThreads
    }

    /// Returns the pipe for a body.
    ///
    /// - Parameters:
    ///   - rest: the number of bytes that certainly follow.
    ///   - step: the maximum number of bytes of the next step.
    /// - Returns: nil if the bytes must be copied.
    func pipe(forRest rest: Int, step: Int) -> TransferPipe? {
        guard canPipe else { return nil }
        if pipe == nil, rest >= Self.minPiped {
            // Without a descriptor or memory for a pipe, the body is copied.
            pipe = try? TransferPipe(capacity: max(step, Self.sharedStep))
            canPipe = pipe != nil
        }
        return pipe
    }

    /// The number of bytes to write to the file.
    var count: Int { (pipe?.count ?? 0) + bytes.count + (extent?.count ?? 0) }

    /// Removes the bytes of the last step, which have been written.
    func clear() {
        bytes.removeAll(keepingCapacity: true)
        extent = nil
    }

    /// Whether the file has refused bytes from a pipe.
    var isPipeRefused: Bool { pipe?.isRefused ?? false }

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

    /// Writes the bytes of the last step, with one of three closures; call on a file thread.
    ///
    /// - Parameters:
    ///   - writePipe: writes all bytes of a pipe.
    ///   - writeBytes: writes bytes in memory.
    ///   - writeExtent: writes bytes of another file.
    /// - Throws: the error of the closure.
    package func write<Failure>(
        _ writePipe: (TransferPipe) throws(Failure) -> Void,
        orBytes writeBytes: ([UInt8]) throws(Failure) -> Void,
        orExtent writeExtent: (FileExtent) throws(Failure) -> Void
    ) throws(Failure) {
        guard let extent else { return try write(writePipe, orBytes: writeBytes) }
        try writeExtent(extent)
    }

    /// Writes the bytes of the last step, with one of two closures; call on a file thread.
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

/// The number of transfers of a client that are not complete.
final class FileTransferGroup: Sendable {
    private let transfers = Atomic<Int>(0)

    var count: Int { transfers.load(ordering: .relaxed) }

    func join() { transfers.add(1, ordering: .relaxed) }
    func leave() { transfers.subtract(1, ordering: .relaxed) }
}
