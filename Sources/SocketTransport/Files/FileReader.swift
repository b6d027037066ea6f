/// A reader of a regular file at any offset.
///
/// Each call may wait for the disk; do not call it on the thread of an event loop.
package final class FileReader: Sendable {
    /// The reason why a file cannot be read.
    package enum ReadError: Error, Sendable, Hashable {
        case system(Errno)
        /// The path is a directory, a pipe or a device.
        case notRegular
    }

    /// The file size in bytes when it was opened.
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

    /// Reads up to `count` bytes at `offset`; fewer bytes mean the end of the file was reached.
    package func read(_ count: Int, at offset: Int) throws(ReadError) -> [UInt8] {
        do {
            return try Syscalls.read(descriptor.rawValue, count, at: offset)
        } catch {
            throw .system(error)
        }
    }
}
