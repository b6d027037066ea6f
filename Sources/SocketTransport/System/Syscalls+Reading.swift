internal import Glibc

/// System calls that read files.
extension Syscalls {
    /// Opens a file for reading with open(2), close-on-exec.
    ///
    /// Never waits for the other end of a named pipe; a later check rejects pipes.
    static func openForReading(_ path: String) throws(Errno) -> Descriptor {
        // C would take the part before a NUL as the whole name.
        guard !path.hasNUL else { throw Errno(rawValue: EINVAL) }
        while true {
            // SAFETY: the bridged string ends with 0 and outlives the call.
            let raw = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if raw >= 0 { return Descriptor(owning: raw) }
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// Reads all of a file or a pipe with open(2) and read(2), close-on-exec.
    ///
    /// Waits for the other end of a pipe.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the maximum size; `EFBIG` is thrown above it.
    /// - Returns: the bytes of the file.
    /// - Throws: the system's error.
    static func readAll(_ path: String, limit: Int) throws(Errno) -> [UInt8] {
        guard !path.hasNUL else { throw .noSuchFile }
        var raw: Int32
        repeat {
            // SAFETY: the bridged string ends with 0 and outlives the call.
            raw = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        } while raw < 0 && Glibc.errno == EINTR
        guard raw >= 0 else { throw Errno.current }
        let file = Descriptor(owning: raw)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // SAFETY: the kernel writes at most `count` bytes into an array of that size.
            let count = unsafe Glibc.read(file.rawValue, &piece, piece.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                let errno = Errno.current
                guard errno == .interrupted else { throw errno }
                continue
            }
            bytes += piece[..<count]
            guard bytes.count <= limit else { throw Errno(rawValue: EFBIG) }
        }
    }

    /// Returns the status of an open file (fstat(2)).
    static func fileStatus(_ descriptor: Int32) throws(Errno) -> FileStatus {
        var status = stat()
        // SAFETY: the kernel fills the local variable, which outlives the call.
        guard unsafe fstat(descriptor, &status) == 0 else { throw Errno.current }
        return FileStatus(status)
    }

    /// Returns the status of a file (lstat(2)); nil if there is none.
    ///
    /// A symbolic link is not followed.
    static func fileStatus(at path: String) throws(Errno) -> FileStatus? {
        try checkPath(path)
        var status = stat()
        // SAFETY: the text and the local variable outlive the call.
        guard unsafe lstat(path, &status) == 0 else {
            let errno = Errno.current
            guard errno == .noSuchFile else { throw errno }
            return nil
        }
        return FileStatus(status)
    }

    /// Sets the access time and the modification time of an open file to now (futimens(2)).
    static func touch(_ descriptor: Int32) throws(Errno) {
        guard futimens(descriptor, nil) == 0 else { throw Errno.current }
    }

    /// Reads up to `count` bytes at `offset` with pread(2); empty at the end of the file.
    static func read(
        _ descriptor: Int32,
        _ count: Int,
        at offset: Int
    ) throws(Errno) -> [UInt8] {
        var failure: Errno?
        // SAFETY: the kernel writes at most `count` bytes into a buffer of that size and returns
        // how many.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            var result: Int
            repeat {
                result = unsafe pread(descriptor, room.baseAddress, room.count, offset)
            } while result < 0 && Glibc.errno == EINTR
            if result < 0 { failure = .current }
            filled = max(result, 0)
        }
        if let failure { throw failure }
        return bytes
    }

    /// Returns the sorted names in a directory, without `.` and `..` (opendir(3), readdir(3)).
    static func names(inDirectory path: String) throws(Errno) -> [String] {
        guard !path.hasNUL else { throw Errno(rawValue: EINVAL) }
        // SAFETY: the bridged string ends with 0 and outlives the call.
        guard let directory = unsafe opendir(path) else { throw Errno.current }
        // SAFETY: the directory was opened above and is closed once, here.
        defer { unsafe _ = closedir(directory) }
        var names: [String] = []
        while true {
            Glibc.errno = 0
            // SAFETY: the entry is valid until the next call on the same directory, which comes
            // later.
            guard let entry = unsafe readdir(directory) else { break }
            // SAFETY: `d_name` ends with 0 and lies within the entry, whose length limits it.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
                unsafe start.withMemoryRebound(to: CChar.self, capacity: 256) { text in
                    unsafe String(cString: text)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard Glibc.errno == 0 else { throw Errno.current }
        return names.sorted()
    }

    /// Creates a directory with mkdir(2); an existing directory is no error.
    static func makeDirectory(_ path: String, _ permissions: UInt32) throws(Errno) {
        guard !path.hasNUL else { throw Errno(rawValue: EINVAL) }
        // SAFETY: the bridged string ends with 0 and outlives the call.
        guard unsafe mkdir(path, mode_t(permissions)) != 0 else { return }
        let errno = Errno.current
        guard errno == .exists, isDirectory(path) else { throw errno }
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        length = max(status.st_size, 0)
        modified = status.st_mtim.tv_sec
        changed = status.st_ctim.tv_sec
        changedNanoseconds = status.st_ctim.tv_nsec
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isPrivate = status.st_uid == geteuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }
}

/// The size, times and kind of a file.
///
/// If two values of a file are equal, and ``changed`` was more than two seconds before the first one was read, then the
/// file was not changed between them. Times are exact to a few milliseconds on most file systems, and to two seconds
/// on FAT.
package struct FileStatus: Sendable, Hashable {
    /// The size in bytes.
    package let length: Int
    /// The time of the last change of the bytes in seconds since 1970; programs can set it.
    package let modified: Int
    /// The time of the last change of the bytes or the status in seconds since 1970; programs cannot set it.
    package let changed: Int
    private let changedNanoseconds: Int
    private let device: UInt64
    private let inode: UInt64
    /// Whether it is a regular file, and neither a symbolic link nor a directory, pipe or device.
    package let isRegular: Bool
    /// Whether the file belongs to this process's user, and no other user may write it.
    package let isPrivate: Bool
}

extension String {
    /// Whether the text has a NUL, where C would see its end.
    ///
    /// It takes a tenth of the instructions of `utf8.contains(0)`.
    var hasNUL: Bool {
        let bytes = utf8.span
        for index in bytes.indices where bytes[index] == 0 { return true }
        return false
    }
}
