internal import Glibc

extension Syscalls {
    /// Creates a new file with open(2), close-on-exec; the umask reduces its mode.
    static func createFile(
        _ path: String,
        _ permissions: mode_t = 0o666
    ) throws(Errno) -> Descriptor {
        try open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions)
    }

    /// Returns the mode of a new file in a directory, from one without a name (`O_TMPFILE`).
    ///
    /// - Parameter directory: the path; empty for the current directory.
    /// - Returns: the permissions.
    /// - Throws: the system's error; `ENOTSUP`, `EISDIR` or `EINVAL` on file systems without such files.
    static func defaultMode(in directory: String) throws(Errno) -> mode_t {
        // Swift does not import __O_TMPFILE, which has the same value on all architectures of Swift.
        let flags = 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC
        let file = try open(directory.isEmpty ? "." : directory, flags, 0o666)
        return try mode(of: file.rawValue)
    }

    /// Returns the permissions of an open file (fstat(2)).
    static func mode(of descriptor: Int32) throws(Errno) -> mode_t {
        try status(of: descriptor).st_mode & 0o777
    }

    /// Changes the permissions of an open file with fchmod(2).
    static func setMode(of descriptor: Int32, _ mode: mode_t) throws(Errno) {
        guard fchmod(descriptor, mode) == 0 else { throw Errno.current }
    }

    /// Returns whether a file of another user has this name (lstat(2)); false if there is none.
    static func isOwnedByOther(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the text and the local outlive the call.
        return unsafe lstat(path, &status) == 0 && status.st_uid != geteuid()
    }

    /// Opens an existing file that is not a symbolic link for reading and writing, close-on-exec.
    static func openFileForWriting(_ path: String) throws(Errno) -> Descriptor {
        // O_NONBLOCK avoids waiting for the reader of a pipe; it has no effect on files.
        try open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    }

    /// Opens a file that is not a symbolic link for reading, close-on-exec.
    static func openUnlinkedForReading(_ path: String) throws(Errno) -> Descriptor {
        try open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    }

    /// Returns the bytes of a regular file that only this process's user can have written.
    ///
    /// - Throws: the system's error; `EFBIG` above `limit` bytes; `EINVAL` for a file of another user,
    ///   with another link, or that others can write.
    static func readOwnFile(_ path: String, limit: Int) throws(Errno) -> [UInt8] {
        let file = try open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard try isExclusivelyOwned(file.rawValue, at: path),
            try status(of: file.rawValue).st_mode & (S_IWGRP | S_IWOTH) == 0
        else { throw .invalid }
        let bytes = try read(file.rawValue, limit + 1, at: 0)
        guard bytes.count <= limit else { throw Errno(rawValue: EFBIG) }
        return bytes
    }

    /// Opens a file for appending with open(2), and creates it with mode 0o600 if necessary.
    ///
    /// Fails for a symbolic link; does not wait for the other end of a pipe.
    static func openForAppending(_ path: String) throws(Errno) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        return try open(path, flags, 0o600)
    }

    private static func open(
        _ path: String,
        _ flags: Int32,
        _ permissions: mode_t = 0
    ) throws(Errno) -> Descriptor {
        try checkPath(path)
        while true {
            // SAFETY: the text outlives the call, and O_CREAT requires the mode.
            let raw = unsafe Glibc.open(path, flags, permissions)
            if raw >= 0 { return Descriptor(owning: raw) }
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// Returns the size of a regular file from fstat(2); nil if it is another kind of file.
    static func fileSize(_ descriptor: Int32) throws(Errno) -> Int? {
        let status = try status(of: descriptor)
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return max(status.st_size, 0)
    }

    /// Returns whether stat(2) finds a directory at `path`.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the text and the local outlive the call.
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether stat(2) finds a device, a pipe or a socket at `path`.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the text and the local outlive the call.
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFDIR && status.st_mode & S_IFMT != S_IFREG
    }

    /// Writes all of `bytes` with as many pwrite(2) calls as necessary.
    static func write(
        _ descriptor: Int32,
        _ bytes: Span<UInt8>,
        at offset: Int
    ) throws(Errno) {
        var written = 0
        while written < bytes.count {
            let rest = bytes.extracting(written...)
            let place = offset + written
            // SAFETY: the kernel reads at most `count` bytes of memory that the span keeps alive.
            let count = unsafe rest.withUnsafeBufferPointer { source in
                unsafe pwrite(descriptor, source.baseAddress, source.count, place)
            }
            if count > 0 {
                written += count
                continue
            }
            let errno = Errno.current
            // A regular file accepts at least one byte or reports an error.
            guard count < 0 else { throw .noSpace }
            guard errno == .interrupted else { throw errno }
        }
    }

    /// Sets the size of a file with ftruncate(2).
    static func truncate(_ descriptor: Int32, to size: Int) throws(Errno) {
        while ftruncate(descriptor, size) != 0 {
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// Writes the data of a file to the disk with fsync(2).
    static func synchronize(_ descriptor: Int32) throws(Errno) {
        while fsync(descriptor) != 0 {
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// Writes a directory to the disk with fsync(2).
    ///
    /// Its created, replaced and removed names then survive a power failure.
    ///
    /// - Parameter path: the directory; empty for the current one.
    /// - Throws: the system's error.
    static func synchronizeDirectory(_ path: String) throws(Errno) {
        let directory = try open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        do {
            try synchronize(directory.rawValue)
        } catch .invalid {
            // The file system does not support it for directories.
        }
    }

    /// Locks the open file exclusively with flock(2), without waiting.
    ///
    /// - Returns: false if another descriptor holds the lock.
    /// - Throws: the system's error, such as `ENOLCK` on a file system without locks.
    static func tryLock(_ descriptor: Int32) throws(Errno) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let errno = Errno.current
            if errno == .again { return false }
            guard errno == .interrupted else { throw errno }
        }
        return true
    }

    /// Releases the lock with flock(2).
    static func unlock(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Opens a lock file with open(2), and creates it with mode 0o600 if necessary.
    static func openLockFile(_ path: String) throws(Errno) -> Descriptor {
        try open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }

    /// Returns whether an open file is regular, belongs to this user and has only the name `path`.
    ///
    /// Uses fstat(2) and lstat(2).
    static func isExclusivelyOwned(_ descriptor: Int32, at path: String) throws(Errno) -> Bool {
        guard try isRegularWithOneLink(descriptor), try isOwnedByUser(descriptor) else {
            return false
        }
        do {
            return try hasPath(descriptor, path)
        } catch {
            return false
        }
    }

    /// Returns whether an open file is regular and has exactly one name (fstat(2)).
    static func isRegularWithOneLink(_ descriptor: Int32) throws(Errno) -> Bool {
        let status = try status(of: descriptor)
        return status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    }

    /// Returns whether an open file belongs to this process's user (fstat(2)).
    static func isOwnedByUser(_ descriptor: Int32) throws(Errno) -> Bool {
        try status(of: descriptor).st_uid == geteuid()
    }

    /// Returns whether `path` is a name of the open file (fstat(2), lstat(2)).
    ///
    /// - Throws: the system's error, such as `ENOENT` if no file has that name.
    static func hasPath(_ descriptor: Int32, _ path: String) throws(Errno) -> Bool {
        try checkPath(path)
        let opened = try status(of: descriptor)
        var named = stat()
        // SAFETY: the text and the local outlive the call.
        guard unsafe lstat(path, &named) == 0 else { throw Errno.current }
        return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
    }

    /// Returns the identity of a file from fstat(2).
    static func identity(of descriptor: Int32) throws(Errno) -> FileIdentity {
        let status = try status(of: descriptor)
        let time = status.st_mtim
        return FileIdentity(
            inode: UInt64(status.st_ino),
            modified: UInt64(bitPattern: Int64(time.tv_sec &* 1_000_000_000 &+ time.tv_nsec))
        )
    }

    /// Sets a random fraction of the modification time with futimens(2), and returns the identity.
    static func stampedIdentity(of descriptor: Int32) throws(Errno) -> FileIdentity {
        let status = try status(of: descriptor)
        let fraction = Int.random(in: 0..<1_000_000_000)
        let times = [
            status.st_atim, timespec(tv_sec: status.st_mtim.tv_sec, tv_nsec: fraction),
        ]
        // SAFETY: the array has the two times that the call reads. If the call fails, the time of
        // the last write remains, which identifies the file nearly as well.
        _ = unsafe futimens(descriptor, times)
        return try identity(of: descriptor)
    }

    private static func status(of descriptor: Int32) throws(Errno) -> stat {
        var status = stat()
        // SAFETY: the pointer is to a local variable that outlives the call.
        guard unsafe fstat(descriptor, &status) == 0 else { throw Errno.current }
        return status
    }

    /// The current directory from getcwd(3); nil if it has been removed.
    static var currentDirectory: String? {
        // SAFETY: with no buffer given, the C library allocates one, which is freed here once.
        guard let text = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Renames a file with rename(2); replaces an existing file.
    static func rename(_ path: String, to other: String) throws(Errno) {
        try checkPath(path)
        try checkPath(other)
        // SAFETY: both texts outlive the call.
        guard unsafe Glibc.rename(path, other) == 0 else { throw Errno.current }
    }

    /// Returns whether lstat(2) finds anything at `path`.
    static func hasEntry(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the text and the local outlive the call.
        return unsafe lstat(path, &status) == 0
    }

    /// Removes a file name with unlink(2).
    static func remove(_ path: String) throws(Errno) {
        try checkPath(path)
        // SAFETY: the text outlives the call.
        guard unsafe unlink(path) == 0 else { throw Errno.current }
    }

    /// Rejects an empty path, and one with a NUL, where the system would end the name.
    static func checkPath(_ path: String) throws(Errno) {
        guard !path.isEmpty, !path.hasNUL else { throw .noSuchFile }
    }
}

/// The values that distinguish a partial file from a later file with the same name.
///
/// Names of partial files and inode numbers are reused. The fraction of a second in the
/// modification time is therefore random; see ``OutputFile/stampIdentity()``.
package struct FileIdentity: Sendable, Hashable {
    /// The inode number in the file system.
    package let inode: UInt64
    /// The modification time in nanoseconds since 1970.
    package let modified: UInt64

    package init(inode: UInt64, modified: UInt64) {
        self.inode = inode
        self.modified = modified
    }
}
