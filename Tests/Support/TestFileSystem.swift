package import Glibc

/// Access to directories and files without Foundation.
package enum TestFileSystem {
    /// The root of the repository, three directories above this file.
    package static let packageRoot: String = {
        let parts = "\(#filePath)".split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/")
    }()

    /// Returns the names in a directory, without `.` and `..`, sorted; empty if it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // SAFETY: readdir ends the name with 0 and keeps the entry until its next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
                unsafe start.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the bytes of a file; nil if it cannot be read.
    package static func contents(of path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 { return nil }
            if count == 0 { return contents }
            contents += buffer[..<count]
        }
    }

    package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("open \(path)") }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(
                    descriptor,
                    $0.baseAddress?.advanced(by: written),
                    $0.count - written
                )
            }
            guard count > 0 else { throw SystemError("write \(path)") }
            written += count
        }
    }

    /// Deletes a file or a symbolic link.
    package static func delete(_ path: String) { unsafe _ = unlink(path) }

    package static func rename(_ path: String, to other: String) {
        unsafe _ = Glibc.rename(path, other)
    }

    /// Gives a file a second name.
    package static func link(_ path: String, at other: String) {
        unsafe _ = Glibc.link(path, other)
    }

    /// Creates a symbolic link to `path`.
    package static func symlink(_ path: String, at other: String) {
        unsafe _ = Glibc.symlink(path, other)
    }

    package static func makeDirectory(_ path: String) { unsafe _ = mkdir(path, 0o700) }

    package static func setMode(_ mode: mode_t, of path: String) { unsafe _ = chmod(path, mode) }

    /// Returns the permissions of a file; nil if there is none.
    package static func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// Deletes a directory and its contents; symbolic links are deleted, not followed.
    static func remove(_ path: String) {
        for name in names(in: path) {
            let inner = "\(path)/\(name)"
            if unsafe unlink(inner) != 0 { remove(inner) }
        }
        unsafe rmdir(path)
    }
}

/// A new directory for one test, deleted when the object is released.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Creates a directory.
    ///
    /// - Parameter parent: the directory that contains it; default: that for temporary files.
    package init(in parent: String? = nil) throws(SystemError) {
        let common = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let base = parent ?? common
        var template = Array("\(base)/http-client-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Writes a file into the directory and returns its path.
    @discardableResult
    package func write(_ bytes: [UInt8], as name: String) throws(SystemError) -> String {
        let file = "\(path)/\(name)"
        try TestFileSystem.write(bytes, to: file)
        return file
    }

    @discardableResult
    package func write(_ text: String, as name: String) throws(SystemError) -> String {
        try write(Array(text.utf8), as: name)
    }

    deinit {
        TestFileSystem.remove(path)
    }
}
