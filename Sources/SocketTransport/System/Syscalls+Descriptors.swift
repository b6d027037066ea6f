internal import Glibc

/// System calls on a descriptor of any kind, at its current position.
extension Syscalls {
    /// Returns what a descriptor refers to (fstat(2)).
    static func kind(of descriptor: Int32) throws(Errno) -> DescriptorKind {
        var status = stat()
        // SAFETY: the pointer is to a local variable that outlives the call.
        guard unsafe fstat(descriptor, &status) == 0 else { throw Errno.current }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFIFO: return .pipe
        case S_IFSOCK: return .socket
        default: return .device
        }
    }

    /// Writes bytes with write(2); it waits for the device of a file.
    ///
    /// - Returns: the number of bytes written; nil means EAGAIN.
    static func write(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(Errno) -> Int? {
        try moved {
            // SAFETY: the kernel reads at most `count` bytes of memory that the span keeps alive.
            unsafe bytes.withUnsafeBufferPointer { source in
                unsafe Int64(Glibc.write(descriptor, source.baseAddress, source.count))
            }
        }
    }

    /// Sends bytes through a socket with send(2), without waiting for the peer, and without SIGPIPE.
    ///
    /// - Returns: the number of bytes sent; nil means EAGAIN.
    static func sendAtOnce(_ socket: Int32, _ bytes: Span<UInt8>) throws(Errno) -> Int? {
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        return try moved {
            // SAFETY: as in `write`.
            unsafe bytes.withUnsafeBufferPointer { source in
                unsafe Int64(Glibc.send(socket, source.baseAddress, source.count, flags))
            }
        }
    }

    /// Waits with poll(2) until a descriptor takes bytes, or the next write reports an error.
    ///
    /// - Returns: false if the time has passed.
    static func isWritable(_ descriptor: Int32, within milliseconds: Int32) throws(Errno) -> Bool {
        var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // SAFETY: the pointer is to a local variable that outlives the call.
        let count = unsafe poll(&wish, 1, milliseconds)
        if count >= 0 { return count > 0 }
        let errno = Errno.current
        guard errno == .interrupted else { throw errno }
        return false
    }

    /// Blocks SIGPIPE on the calling thread with pthread_sigmask(3), so that writes report `EPIPE`.
    static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        // SAFETY: the set is a local variable, which the functions fill and read.
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// What a descriptor refers to.
package enum DescriptorKind: Sendable, Hashable {
    case file
    case pipe
    case socket
    /// A terminal or another device.
    case device
}
