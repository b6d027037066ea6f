private import CSSL
internal import Glibc

/// System calls that move bytes between a file and a socket inside the kernel.
extension Syscalls {
    /// Sends bytes of a file with sendfile(2), without SIGPIPE.
    ///
    /// - Returns: the number of bytes sent; 0 means that the file ends at `offset`, nil means
    ///   EAGAIN.
    static func sendFile(
        _ file: Int32,
        from offset: Int,
        _ count: Int,
        to socket: Int32
    ) throws(Errno) -> Int? {
        try moved { cssl_sendfile(socket, file, Int64(offset), UInt64(count)) }
    }

    /// Moves bytes from a socket to a pipe, or from a pipe to a descriptor, with splice(2).
    ///
    /// It does not wait for a pipe, and uses the current position of a file.
    ///
    /// - Returns: the number of bytes moved; 0 means that the peer closed, nil means EAGAIN: the
    ///   source is empty or the pipe is full.
    static func splice(_ count: Int, from source: Int32, to target: Int32) throws(Errno) -> Int? {
        try moved { cssl_splice_from(source, target, UInt64(count)) }
    }

    /// Moves bytes from a pipe to an offset of a file with splice(2).
    ///
    /// - Returns: the number of bytes moved; nil means EAGAIN: the pipe is empty.
    static func splice(
        _ count: Int,
        from pipe: Int32,
        to file: Int32,
        at offset: Int
    ) throws(Errno) -> Int? {
        try moved { cssl_splice_to(pipe, file, Int64(offset), UInt64(count)) }
    }

    /// Copies bytes from a file to another one with copy_file_range(2).
    ///
    /// File systems with reflinks share the blocks of both files instead.
    ///
    /// - Returns: the number of bytes copied; 0 at the end of the source.
    static func copy(
        _ count: Int,
        from source: Int32,
        at start: Int,
        to target: Int32,
        at offset: Int
    ) throws(Errno) -> Int {
        try moved {
            cssl_copy_range(source, Int64(start), target, Int64(offset), UInt64(count))
        } ?? 0
    }

    /// Repeats an interrupted call; returns nil for EAGAIN.
    static func moved(_ call: () -> Int64) throws(Errno) -> Int? {
        while true {
            let count = call()
            if count >= 0 { return Int(count) }
            let errno = Errno.current
            if errno == .again { return nil }
            guard errno == .interrupted else { throw errno }
        }
    }

    /// Reads up to `count` bytes from a pipe with read(2); empty means EAGAIN or the end.
    static func read(_ pipe: Int32, _ count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        // SAFETY: the kernel writes at most `count` bytes into a buffer of that size and returns
        // how many.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            do throws(Errno) {
                let taken = try moved {
                    unsafe Int64(Glibc.read(pipe, room.baseAddress, room.count))
                }
                filled = taken ?? 0
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Creates a non-blocking pipe with pipe2(2), close-on-exec.
    ///
    /// - Parameter capacity: the requested size in bytes (F_SETPIPE_SZ). A user whose pipes take too
    ///   much memory gets a smaller pipe.
    /// - Returns: the two ends, which have no owner yet, and the size of the pipe.
    /// - Throws: the system's error, such as `EMFILE`.
    static func pipe(
        capacity: Int32
    ) throws(Errno) -> (reading: Int32, writing: Int32, capacity: Int) {
        var ends: [Int32] = [-1, -1]
        // SAFETY: the function writes two numbers into an array of two.
        let size = unsafe cssl_pipe(&ends, capacity)
        guard size >= 0 else { throw Errno.current }
        return (ends[0], ends[1], Int(size))
    }

    /// Whether the byte at `offset` is in the page cache (preadv2(2) with RWF_NOWAIT).
    ///
    /// False also if the file system does not support the question.
    static func isCached(_ file: Int32, at offset: Int) -> Bool {
        cssl_is_cached(file, Int64(offset)) != 0
    }

    /// Starts to read a range of a file into the page cache with posix_fadvise(2).
    ///
    /// It is a hint: errors are ignored.
    static func readAhead(_ file: Int32, _ range: Range<Int>) {
        _ = posix_fadvise(file, range.lowerBound, range.count, POSIX_FADV_WILLNEED)
    }

    /// Whether the file system keeps its files in memory (tmpfs or ramfs).
    static func isInMemory(_ file: Int32) -> Bool {
        [0x0102_1994, 0x8584_58F6].contains(cssl_file_system(file))
    }

    /// Whether the file system writes a new file to the disk before it replaces another one on the disk by renaming.
    ///
    /// ext4 (also as ext2 and ext3) and Btrfs do, unless they were told otherwise when they were mounted. On others,
    /// such as XFS, the name may have an empty file after a power failure. tmpfs has nothing after one.
    static func writesRenamedFiles(_ descriptor: Int32) -> Bool {
        [0xEF53, 0x9123_683E, 0x0102_1994].contains(cssl_file_system(descriptor))
    }
}
