/// A reader of a regular file at any offset.
///
/// Each call may wait for the disk; do not call it on the thread of an event loop.
package final class FileReader: Sendable {
    /// The reason why a file cannot be read.
    package enum ReadError: Error, Sendable, Hashable {
        case system(Errno)
        /// The path is a directory, a pipe or a device.
        case notRegular

        /// The reason as a text for an error.
        package var reason: String {
            switch self {
            case .system(let errno): errno.description
            case .notRegular: "it is not a regular file"
            }
        }
    }

    /// The status of the file when it was opened.
    package let status: FileStatus
    /// Owned by this object; for sendfile(2).
    let descriptor: Descriptor

    /// Opens the file.
    package init(path: String) throws(ReadError) {
        do {
            descriptor = try Syscalls.openForReading(path)
            status = try Syscalls.fileStatus(descriptor.rawValue)
        } catch {
            throw .system(error)
        }
        guard status.isRegular else { throw .notRegular }
    }

    /// Opens a file that only this process's user can have written.
    ///
    /// - Throws: the system's error, also `ELOOP` for a symbolic link, and `EPERM` for a file of another user and for
    ///   one that others can write; `.notRegular`.
    package init(ownFile path: String) throws(ReadError) {
        do {
            descriptor = try Syscalls.openUnlinkedForReading(path)
            status = try Syscalls.fileStatus(descriptor.rawValue)
        } catch {
            throw .system(error)
        }
        guard status.isRegular else { throw .notRegular }
        guard status.isPrivate else { throw .system(.notPermitted) }
    }

    /// The file size in bytes when it was opened.
    package var length: Int { status.length }

    /// Sets the time of the last change to now.
    package func touch() throws(Errno) {
        try Syscalls.touch(descriptor.rawValue)
    }

    /// Reads up to `count` bytes at `offset`; fewer bytes mean the end of the file was reached.
    package func read(_ count: Int, at offset: Int) throws(ReadError) -> [UInt8] {
        do {
            return try Syscalls.read(descriptor.rawValue, count, at: offset)
        } catch {
            throw .system(error)
        }
    }

    /// Waits until a range of the file is in the page cache, so that sending it need not wait.
    ///
    /// A range that is already there costs one system call per 128 KiB. The kernel may drop pages
    /// again when memory is scarce.
    package func load(_ range: Range<Int>) throws(ReadError) {
        let raw = descriptor.rawValue
        // These files are in memory or in swap space, like the memory of this process. `isCached` does not work for them.
        guard !Syscalls.isInMemory(raw) else { return }
        // The kernel reads ahead at most about this much at once.
        let size = 128 << 10
        let parts = stride(from: range.lowerBound, to: range.upperBound, by: size).map { start in
            start..<min(start + size, range.upperBound)
        }
        let missing = parts.filter { !Syscalls.isCached(raw, at: $0.upperBound - 1) }
        for part in missing { Syscalls.readAhead(raw, part) }
        // A read waits for the page, and the pages of a part arrive together.
        for part in missing { _ = try read(1, at: part.upperBound - 1) }
    }
}
