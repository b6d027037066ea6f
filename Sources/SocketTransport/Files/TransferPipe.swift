/// A pipe through which the kernel moves bytes from a socket to a file.
///
/// The bytes of most network drivers stay in their pages until the file system copies them. A
/// transfer through memory copies them twice.
///
/// The size of the pipe limits the transfer: the socket fills it, and only the file empties it.
package final class TransferPipe: @unchecked Sendable {
    // Sendable because its owner uses it on one thread at a time: `count` has no other protection.

    /// The size of most pipes, in bytes.
    ///
    /// Large pipes need fewer system calls. This is the largest size that a user gets by
    /// default (`/proc/sys/fs/pipe-max-size`).
    package static let defaultCapacity = 1 << 20

    /// The number of bytes in the pipe.
    package internal(set) var count = 0
    /// Whether a file could not take bytes from the pipe, so that they were copied.
    package internal(set) var isRefused = false
    /// The size that the kernel was asked for, in bytes.
    ///
    /// It may have granted less.
    package let capacity: Int
    let reading: Descriptor
    let writing: Descriptor

    /// Creates an empty pipe.
    ///
    /// It has at least the default size of 64 KiB.
    ///
    /// - Parameter capacity: the size to ask for, in bytes.
    /// - Throws: the system's error, such as `EMFILE`; `ENOBUFS` if the kernel grants only a small
    ///   pipe, because those of the user take too much memory already.
    package init(capacity: Int = defaultCapacity) throws(Errno) {
        self.capacity = capacity
        let ends = try Syscalls.pipe(capacity: Int32(clamping: capacity))
        reading = Descriptor(owning: ends.reading)
        writing = Descriptor(owning: ends.writing)
        guard ends.capacity >= 64 << 10 else { throw .noBufferSpace }
    }

    /// Copies bytes into the pipe, which must be empty.
    ///
    /// - Returns: how many bytes fit, at least 1.
    func append(_ bytes: Span<UInt8>) throws(Errno) -> Int {
        guard let copied = try Syscalls.write(writing.rawValue, bytes), copied > 0 else {
            throw .inputOutput
        }
        count += copied
        return copied
    }

    /// Reads bytes into memory, for a file that splice(2) cannot write.
    ///
    /// - Returns: 1 byte to 64 KiB. The pipe must not be empty.
    func read() throws(Errno) -> [UInt8] {
        let bytes = try Syscalls.read(reading.rawValue, min(count, 64 << 10))
        guard !bytes.isEmpty else { throw .inputOutput }
        count -= bytes.count
        return bytes
    }
}
