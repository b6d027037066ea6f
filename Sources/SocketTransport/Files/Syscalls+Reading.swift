internal import Glibc

/// System calls that read files.
extension Syscalls {
    /// open(2) for reading, close-on-exec.
    ///
    /// Never waits for the other end of a named pipe, which is refused later for what it is.
    static func openForReading(_ path: String) throws(Errno) -> Descriptor {
        // C would take the part before a NUL for the whole name.
        guard !path.utf8.contains(0) else { throw Errno(rawValue: EINVAL) }
        while true {
            // SAFETY: the bridged string ends with 0 and outlives the call.
            let raw = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if raw >= 0 { return Descriptor(owning: raw) }
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// open(2), read(2): all of a file or a pipe, close-on-exec; waits for the other end of a pipe.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: a size above which `EFBIG` is thrown.
    /// - Returns: its bytes.
    /// - Throws: what the system says.
    static func readAll(_ path: String, limit: Int) throws(Errno) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw .noSuchFile }
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
            // SAFETY: the kernel writes at most `count` bytes into an array of so many.
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

    /// fstat(2): bytes of a regular file; nil when it is something else.
    static func regularFileLength(_ descriptor: Int32) throws(Errno) -> Int? {
        var status = stat()
        // SAFETY: the kernel fills the local, which outlives the call.
        guard unsafe fstat(descriptor, &status) == 0 else { throw Errno.current }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return max(status.st_size, 0)
    }

    /// pread(2): up to `count` bytes from `offset` on; empty at the end of the file.
    static func read(
        _ descriptor: Int32,
        _ count: Int,
        at offset: Int
    ) throws(Errno) -> [UInt8] {
        var failure: Errno?
        // SAFETY: the kernel writes at most `count` bytes into room for so many, and says how many.
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

    /// opendir(3), readdir(3): the names in a directory, without `.` and `..`, sorted.
    static func names(inDirectory path: String) throws(Errno) -> [String] {
        guard !path.utf8.contains(0) else { throw Errno(rawValue: EINVAL) }
        // SAFETY: the bridged string ends with 0 and outlives the call.
        guard let directory = unsafe opendir(path) else { throw Errno.current }
        // SAFETY: it was opened above and is closed once, here.
        defer { unsafe _ = closedir(directory) }
        var names: [String] = []
        while true {
            Glibc.errno = 0
            // SAFETY: the entry is valid until the next call on the same directory, which comes later.
            guard let entry = unsafe readdir(directory) else { break }
            // SAFETY: `d_name` ends with 0 and lies in the entry, whose length says how far it goes.
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

    /// mkdir(2); one that is there is fine.
    static func makeDirectory(_ path: String, _ permissions: UInt32) throws(Errno) {
        guard !path.utf8.contains(0) else { throw Errno(rawValue: EINVAL) }
        // SAFETY: the bridged string ends with 0 and outlives the call.
        guard unsafe mkdir(path, mode_t(permissions)) != 0 else { return }
        let errno = Errno.current
        guard errno == .exists, isDirectory(path) else { throw errno }
    }
}
