import Glibc
import HTTPClient
import Support

/// A storage of a cache that keeps each object in a file, as an application could.
struct FileStorage: HTTPCache.Storage {
    /// The directory, which exists.
    let path: String

    func read(_ name: String, _ positions: Range<Int>) throws -> [UInt8]? {
        let descriptor = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw Violation("cannot open \(name): errno \(errno)") }
            return nil
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw Violation("cannot measure \(name): errno \(errno)")
        }
        let count = positions.clamped(to: 0..<Int(status.st_size)).count
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = unsafe pread(descriptor, &bytes, count, positions.lowerBound)
        guard filled == count else { throw Violation("\(filled) bytes of \(name) were read") }
        return bytes
    }

    func write(_ bytes: [UInt8], to name: String, at position: Int) throws {
        let flags = position == 0 ? O_CREAT | O_EXCL : O_APPEND
        let file = "\(path)/\(name)\(position == 0 ? ".new" : "")"
        let descriptor = unsafe open(file, O_WRONLY | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw Violation("cannot open \(file): errno \(errno)") }
        defer { close(descriptor) }
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Violation("cannot write to \(file): errno \(errno)")
        }
        if position == 0, unsafe rename(file, "\(path)/\(name)") != 0 {
            throw Violation("cannot rename \(file): errno \(errno)")
        }
    }

    func remove(_ name: String) throws {
        guard unsafe unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
            throw Violation("cannot remove \(name): errno \(errno)")
        }
    }

    /// The order is arbitrary: the transfers stay below the limit.
    func list() throws -> [HTTPCache.Object] {
        TestFileSystem.names(in: path).map { name in
            var status = stat()
            unsafe stat("\(path)/\(name)", &status)
            return HTTPCache.Object(name: name, byteCount: Int(status.st_size))
        }
    }
}
