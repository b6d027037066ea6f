/// Reads a regular file at any offset.
///
/// Each call may wait for the disk: not for the thread of a loop.
package final class FileReader: Sendable {
    /// Says why a file cannot be read.
    package enum ReadError: Error, Sendable, Hashable {
        case system(Errno)
        /// A directory, a pipe, a device.
        case notRegular
    }

    /// Bytes that the file had when it was opened.
    package let length: Int
    private let descriptor: Descriptor

    /// Opens the file.
    package init(path: String) throws(ReadError) {
        do {
            descriptor = try Syscalls.openForReading(path)
        } catch {
            throw .system(error)
        }
        let found: Int?
        do {
            found = try Syscalls.regularFileLength(descriptor.rawValue)
        } catch {
            throw .system(error)
        }
        guard let found else { throw .notRegular }
        length = found
    }

    /// Reads up to `count` bytes from `offset` on; fewer mean the end, and none that it was passed.
    package func read(_ count: Int, at offset: Int) throws(ReadError) -> [UInt8] {
        do {
            return try Syscalls.read(descriptor.rawValue, count, at: offset)
        } catch {
            throw .system(error)
        }
    }
}
