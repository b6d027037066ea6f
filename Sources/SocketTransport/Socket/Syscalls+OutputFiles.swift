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

    /// fstat(2): octets of a regular file; nil when it is something else.
    static func fileSize(_ descriptor: Int32) throws(Errno) -> UInt64? {
        var status = stat()
        // SAFETY: the pointer is to a local that outlives the call.
        guard unsafe fstat(descriptor, &status) == 0 else { throw Errno.current }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(max(status.st_size, 0))
    }

    /// stat(2): whether there is a folder of that name.
    static func isFolder(_ path: String) -> Bool {
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
        at offset: UInt64
    ) throws(Errno) {
        var written = 0
        while written < bytes.count {
            let rest = bytes.extracting(written...)
            let place = off_t(clamping: offset + UInt64(written))
            // SAFETY: the kernel reads at most `count` octets of memory that the span keeps alive.
            let count = unsafe rest.withUnsafeBufferPointer { source in
                unsafe pwrite(descriptor, source.baseAddress, source.count, place)
            }
            if count > 0 {
                written += count
                continue
            }
            let errno = Errno.current
            // A file takes at least one octet, or says why not.
            guard count < 0 else { throw .noSpace }
            guard errno == .interrupted else { throw errno }
        }
    }

    /// ftruncate(2).
    static func truncate(_ descriptor: Int32, to size: UInt64) throws(Errno) {
        while ftruncate(descriptor, off_t(clamping: size)) != 0 {
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
