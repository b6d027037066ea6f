internal import Glibc

extension Syscalls {
    /// open(2) of a file that must not exist, for writing, close-on-exec; the umask takes from its mode.
    static func createFile(
        _ path: String,
        _ permissions: mode_t = 0o666
    ) throws(Errno) -> Descriptor {
        try open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions)
    }

    /// open(2) of a file that exists and is no symbolic link, for writing, close-on-exec.
    static func openFileForWriting(_ path: String) throws(Errno) -> Descriptor {
        // Not to wait for a reader, should it be a pipe; for files it means nothing.
        try open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }

    /// open(2) of a file that is appended to, and made for its owner alone if there is none.
    ///
    /// A symbolic link is refused; a pipe is not waited for.
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
            // SAFETY: the text outlives the call, and the mode is what O_CREAT asks for.
            let raw = unsafe Glibc.open(path, flags, permissions)
            if raw >= 0 { return Descriptor(owning: raw) }
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// fstat(2): bytes of a regular file; nil when it is something else.
    static func fileSize(_ descriptor: Int32) throws(Errno) -> Int? {
        let status = try status(of: descriptor)
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return max(status.st_size, 0)
    }

    /// stat(2): whether there is a directory of that name.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the text and the local outlive the call.
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// stat(2): whether that name leads to a device, a pipe or a socket.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the text and the local outlive the call.
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFDIR && status.st_mode & S_IFMT != S_IFREG
    }

    /// pwrite(2), again and again until all of `bytes` is written.
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
            // A file takes at least one byte, or says why not.
            guard count < 0 else { throw .noSpace }
            guard errno == .interrupted else { throw errno }
        }
    }

    /// ftruncate(2).
    static func truncate(_ descriptor: Int32, to size: Int) throws(Errno) {
        while ftruncate(descriptor, size) != 0 {
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// fsync(2).
    static func synchronize(_ descriptor: Int32) throws(Errno) {
        while fsync(descriptor) != 0 {
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// fsync(2) of a directory: a name that was made, replaced or removed in it outlives a loss of power.
    ///
    /// - Parameter path: the directory; empty for the current one.
    /// - Throws: what the system says.
    static func synchronizeDirectory(_ path: String) throws(Errno) {
        let directory = try open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        do {
            try synchronize(directory.rawValue)
        } catch .invalid {
            // The file system does not support it for directories.
        }
    }

    /// flock(2) without waiting: an exclusive lock of the open file.
    ///
    /// - Returns: false when another descriptor holds it.
    /// - Throws: what the system says, such as `ENOLCK` on a file system without locks.
    static func tryLock(_ descriptor: Int32) throws(Errno) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let errno = Errno.current
            if errno == .again { return false }
            guard errno == .interrupted else { throw errno }
        }
        return true
    }

    /// flock(2): releases the lock.
    static func unlock(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
    }

    /// open(2) of a lock file, which is made for its owner alone if there is none.
    static func openLockFile(_ path: String) throws(Errno) -> Descriptor {
        try open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }

    /// fstat(2), lstat(2): whether an open file is a regular one of this process's user, with `path` as
    /// its only name.
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

    /// fstat(2): whether an open file is a regular one with exactly one name.
    static func isRegularWithOneLink(_ descriptor: Int32) throws(Errno) -> Bool {
        let status = try status(of: descriptor)
        return status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    }

    /// fstat(2): whether an open file belongs to this process's user.
    static func isOwnedByUser(_ descriptor: Int32) throws(Errno) -> Bool {
        try status(of: descriptor).st_uid == geteuid()
    }

    /// fstat(2), lstat(2): whether `path` is a name of the open file.
    ///
    /// - Throws: what the system says, such as `ENOENT` when there is no file of that name.
    static func hasPath(_ descriptor: Int32, _ path: String) throws(Errno) -> Bool {
        try checkPath(path)
        let opened = try status(of: descriptor)
        var named = stat()
        // SAFETY: the text and the local outlive the call.
        guard unsafe lstat(path, &named) == 0 else { throw Errno.current }
        return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
    }

    /// fstat(2): what tells the file apart from others.
    static func identity(of descriptor: Int32) throws(Errno) -> FileIdentity {
        let status = try status(of: descriptor)
        let time = status.st_mtim
        return FileIdentity(
            inode: UInt64(status.st_ino),
            size: UInt64(max(status.st_size, 0)),
            modified: UInt64(bitPattern: Int64(time.tv_sec &* 1_000_000_000 &+ time.tv_nsec))
        )
    }

    /// futimens(2): gives the file a time of change with a random fraction, and returns its identity.
    static func stampedIdentity(of descriptor: Int32) throws(Errno) -> FileIdentity {
        let status = try status(of: descriptor)
        let fraction = Int.random(in: 0..<1_000_000_000)
        let times = [
            status.st_atim, timespec(tv_sec: status.st_mtim.tv_sec, tv_nsec: fraction),
        ]
        // SAFETY: the array has the two times that the call reads. Where it fails, the time stays that of
        // the last write, which does nearly as well.
        _ = unsafe futimens(descriptor, times)
        return try identity(of: descriptor)
    }

    private static func status(of descriptor: Int32) throws(Errno) -> stat {
        var status = stat()
        // SAFETY: the pointer is to a local that outlives the call.
        guard unsafe fstat(descriptor, &status) == 0 else { throw Errno.current }
        return status
    }

    /// getcwd(3): the current directory; nil when it has been removed.
    static var currentDirectory: String? {
        // SAFETY: with no buffer given, the C library allocates one, which is freed here once.
        guard let text = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// rename(2): replaces a file of the new name.
    static func rename(_ path: String, to other: String) throws(Errno) {
        try checkPath(path)
        try checkPath(other)
        // SAFETY: both texts outlive the call.
        guard unsafe Glibc.rename(path, other) == 0 else { throw Errno.current }
    }

    /// unlink(2).
    static func remove(_ path: String) throws(Errno) {
        try checkPath(path)
        // SAFETY: the text outlives the call.
        guard unsafe unlink(path) == 0 else { throw Errno.current }
    }

    /// To the system a name ends at a NUL, and what follows would be lost.
    private static func checkPath(_ path: String) throws(Errno) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .noSuchFile }
    }
}
