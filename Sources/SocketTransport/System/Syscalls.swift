private import CSSL
internal import Glibc

/// The system calls of the module; only this type handles EINTR and `errno`.
///
/// Each function names its call in the manual pages and throws that call's `errno`.
enum Syscalls {
    // MARK: - Sockets

    /// Creates a TCP socket with socket(2), non-blocking and close-on-exec.
    static func tcpSocket(ipv6: Bool) throws(Errno) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = socket(ipv6 ? AF_INET6 : AF_INET, type, 0)
        guard raw >= 0 else { throw Errno.current }
        return Descriptor(owning: raw)
    }

    /// Creates a Unix domain stream socket with socket(2), non-blocking and close-on-exec.
    static func unixSocket() throws(Errno) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let raw = socket(AF_UNIX, type, 0)
        guard raw >= 0 else { throw Errno.current }
        return Descriptor(owning: raw)
    }

    /// Connects a socket with connect(2).
    ///
    /// EINTR counts as "in progress": Linux continues to connect.
    ///
    /// - Returns: true if connected at once, false if in progress.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(Errno) -> Bool {
        let (storage, length) = address.storage
        return try connect(descriptor, storage, length)
    }

    /// Connects to a Unix domain socket with connect(2), which completes at once.
    ///
    /// - Throws: `EAGAIN` if the backlog of the listening socket is full.
    static func connect(_ descriptor: Int32, to address: UnixAddress) throws(Errno) {
        let (storage, length) = address.storage
        // An interrupted stream socket has not connected, so the call is repeated.
        while try !connect(descriptor, storage, length) {}
    }

    private static func connect(
        _ descriptor: Int32,
        _ storage: sockaddr_storage,
        _ length: socklen_t
    ) throws(Errno) -> Bool {
        let result = unsafe withSocketAddress(storage) { pointer in
            unsafe Glibc.connect(descriptor, pointer, length)
        }
        guard result != 0 else { return true }
        let errno = Errno.current
        if errno == .inProgress || errno == .interrupted { return false }
        throw errno
    }

    /// Returns the outcome of a connect in progress, with getsockopt(2) and SO_ERROR.
    static func pendingError(_ descriptor: Int32) -> Errno? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: both pointers are to local variables that outlive the call; the kernel writes
        // four bytes.
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return Errno.current
        }
        return code == 0 ? nil : Errno(rawValue: code)
    }

    /// Sets an option with setsockopt(2) to a flag or number.
    static func set(
        _ option: Int32,
        level: Int32,
        to value: Int32,
        of descriptor: Int32
    )
        throws(Errno)
    {
        var value = value
        // SAFETY: the pointer is to a local variable that outlives the call.
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, level, option, &value, size) == 0 else {
            throw Errno.current
        }
    }

    /// Disables Nagle's algorithm (TCP_NODELAY), so that small writes are sent at once.
    ///
    /// A message head must not wait for an acknowledgment.
    static func setNoDelay(_ descriptor: Int32) throws(Errno) {
        try set(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1, of: descriptor)
    }

    /// Returns the local address from getsockname(2).
    static func localAddress(_ descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            // SAFETY: sockaddr_storage may be accessed as any sockaddr; `length` is its size.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        return result == 0 ? SocketAddress(storage) : nil
    }

    /// Binds a socket and listens, with bind(2) and listen(2).
    static func listen(
        _ descriptor: Int32,
        on address: SocketAddress,
        backlog: Int32
    )
        throws(Errno)
    {
        try set(SO_REUSEADDR, level: SOL_SOCKET, to: 1, of: descriptor)
        let (storage, length) = address.storage
        let result = unsafe withSocketAddress(storage) { pointer in
            unsafe Glibc.bind(descriptor, pointer, length)
        }
        guard result == 0, Glibc.listen(descriptor, backlog) == 0 else { throw Errno.current }
    }

    /// Reserves disk space with fallocate(2) and FALLOC_FL_KEEP_SIZE.
    static func preallocate(_ descriptor: Int32, _ size: Int) throws(Errno) {
        while cssl_preallocate(descriptor, Int64(size)) != 0 {
            let errno = Errno.current
            guard errno == .interrupted else { throw errno }
        }
    }

    /// Renames a file with renameat2(2) and RENAME_NOREPLACE; fails with `EEXIST` for an existing name.
    ///
    /// A file system without this function gets a check followed by rename(2).
    static func renameToNewName(_ path: String, to other: String) throws(Errno) {
        try checkPath(path)
        try checkPath(other)
        // SAFETY: both texts outlive the call.
        guard unsafe cssl_rename_new(path, other) != 0 else { return }
        let errno = Errno.current
        guard errno == .invalid || errno.rawValue == ENOSYS else { throw errno }
        guard !hasEntry(other) else { throw .exists }
        try rename(path, to: other)
    }

    /// Accepts a connection with accept4(2), non-blocking and close-on-exec.
    ///
    /// - Parameters:
    ///   - descriptor: the listening socket.
    ///   - peer: set to the address of the client.
    /// - Returns: the connection; nil if none is waiting.
    /// - Throws: the error of accept4, except an interruption and connections that the client
    ///   aborted.
    static func accept(
        _ descriptor: Int32,
        from peer: inout SocketAddress?
    ) throws(Errno) -> Descriptor? {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        while true {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let raw = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                // SAFETY: `length` is the size of the memory that the pointer refers to.
                unsafe cssl_accept4(descriptor, pointer, &length, flags)
            }
            if raw >= 0 {
                peer = SocketAddress(storage)
                return Descriptor(owning: raw)
            }
            let errno = Errno.current
            switch errno {
            case .again: return nil
            case .interrupted, .connectionAborted: continue
            default: throw errno
            }
        }
    }

    // MARK: - Bytes

    /// Receives into the whole of `buffer` with recv(2); nil means EAGAIN, 0 means the peer closed.
    static func receive(
        _ descriptor: Int32,
        into buffer: inout MutableSpan<UInt8>
    )
        throws(Errno) -> Int?
    {
        // SAFETY: the kernel writes at most `count` bytes into memory to which this function has
        // exclusive access.
        let result = unsafe buffer.withUnsafeMutableBufferPointer { target in
            var count: Int
            repeat {
                count = unsafe recv(descriptor, target.baseAddress, target.count, 0)
            } while count < 0 && Glibc.errno == EINTR
            return count
        }
        guard result < 0 else { return result }
        let errno = Errno.current
        guard errno == .again else { throw errno }
        return nil
    }

    /// Checks an idle connection with recv(2) and MSG_PEEK of one byte, which is not consumed.
    static func peek(_ descriptor: Int32) throws(Errno) -> Int? {
        var byte: UInt8 = 0
        let flags = Int32(MSG_PEEK | MSG_DONTWAIT)
        // SAFETY: the kernel writes at most one byte into the local variable.
        let count = unsafe recv(descriptor, &byte, 1, flags)
        guard count < 0 else { return count }
        let errno = Errno.current
        guard errno == .again || errno == .interrupted else { throw errno }
        return nil
    }

    /// Sends bytes with send(2) and MSG_NOSIGNAL; nil means EAGAIN.
    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(Errno) -> Int? {
        // SAFETY: the kernel reads at most `count` bytes of memory that the span keeps alive.
        let result = unsafe bytes.withUnsafeBufferPointer { source in
            var count: Int
            repeat {
                let flags = Int32(MSG_NOSIGNAL)
                count = unsafe Glibc.send(descriptor, source.baseAddress, source.count, flags)
            } while count < 0 && Glibc.errno == EINTR
            return count
        }
        guard result < 0 else { return result }
        let errno = Errno.current
        guard errno == .again else { throw errno }
        return nil
    }

    /// Ends the sending side with shutdown(2); the peer still reads the bytes sent before.
    static func shutdownWrite(_ descriptor: Int32) {
        // Fails only if the peer has already closed the connection.
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes the close of `descriptor` discard unsent data and send RST.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        let length = socklen_t(MemoryLayout<linger>.size)
        // SAFETY: the kernel reads `length` bytes of the local variable during the call.
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, length)
    }

    /// Closes a descriptor with close(2).
    ///
    /// Linux frees the descriptor even if it reports EINTR, so the call is not repeated.
    static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    static func withSocketAddress(
        _ storage: sockaddr_storage,
        _ call: (UnsafePointer<sockaddr>) -> Int32
    ) -> Int32 {
        var storage = storage
        return unsafe withUnsafePointer(to: &storage) { pointer in
            // SAFETY: sockaddr_storage may be accessed as any sockaddr.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0) }
        }
    }
}

/// A file descriptor with a single owner, which closes it exactly once.
package struct Descriptor: ~Copyable, Sendable {
    /// The descriptor number; valid as long as this value lives.
    package let rawValue: Int32

    /// Takes ownership of `rawValue`; no other code may close it from now on.
    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        Syscalls.close(rawValue)
    }
}

extension Optional where Wrapped == Descriptor {
    /// The descriptor number; nil if there is no owner.
    var number: Int32? {
        switch self {
        case .some(let owned): owned.rawValue
        case .none: nil
        }
    }
}
