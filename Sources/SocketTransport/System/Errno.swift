private import Glibc

/// The `errno` of a failed system call.
package struct Errno: Error, RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The calling thread's `errno`; read it directly after the failed call.
    package static var current: Errno { Errno(rawValue: Glibc.errno) }

    package static let again = Errno(rawValue: EAGAIN)
    package static let interrupted = Errno(rawValue: EINTR)
    package static let inProgress = Errno(rawValue: EINPROGRESS)
    package static let brokenPipe = Errno(rawValue: EPIPE)
    package static let connectionReset = Errno(rawValue: ECONNRESET)
    package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
    static let connectionAborted = Errno(rawValue: ECONNABORTED)
    package static let noBufferSpace = Errno(rawValue: ENOBUFS)
    package static let timedOut = Errno(rawValue: ETIMEDOUT)
    package static let processFilesExhausted = Errno(rawValue: EMFILE)
    static let systemFilesExhausted = Errno(rawValue: ENFILE)

    package static let notPermitted = Errno(rawValue: EPERM)
    static let noSuchDevice = Errno(rawValue: ENODEV)
    package static let noSuchFile = Errno(rawValue: ENOENT)
    package static let exists = Errno(rawValue: EEXIST)
    /// A symbolic link where none is allowed.
    package static let isSymbolicLink = Errno(rawValue: ELOOP)
    package static let isDirectory = Errno(rawValue: EISDIR)
    package static let notDirectory = Errno(rawValue: ENOTDIR)
    package static let invalid = Errno(rawValue: EINVAL)
    /// A pipe without a reader.
    package static let noReader = Errno(rawValue: ENXIO)
    package static let stale = Errno(rawValue: ESTALE)
    package static let noSpace = Errno(rawValue: ENOSPC)
    package static let notSupported = Errno(rawValue: EOPNOTSUPP)
    package static let cancelled = Errno(rawValue: ECANCELED)
    package static let inputOutput = Errno(rawValue: EIO)
    static let addressNotAvailable = Errno(rawValue: EADDRNOTAVAIL)

    /// Whether the process or the system has no free descriptor.
    var isDescriptorExhaustion: Bool {
        self == .processFilesExhausted || self == .systemFilesExhausted
    }

    /// Whether sendfile(2) or splice(2) cannot use these descriptors; read and write may.
    var isTransferUnsupported: Bool {
        [EINVAL, ENOSYS, EOPNOTSUPP].contains(rawValue)
    }

    /// Whether a file cannot grow: the disk or a quota is full, or the file has its maximum size.
    package var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(rawValue) }

    /// Whether a file cannot be read; sockets do not report these errors.
    package var isFileUnreadable: Bool { [EIO, ESTALE, EOVERFLOW].contains(rawValue) }

    /// Whether the file system does not support locks.
    var isLockingUnsupported: Bool {
        [ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL].contains(rawValue)
    }

    /// The C library's text, such as `Connection refused`.
    package var description: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            // SAFETY: `text` has 256 bytes for the whole call; the XSI form always terminates it.
            guard let start = text.baseAddress,
                unsafe strerror_r(rawValue, start, text.count) == 0
            else { return "errno \(rawValue)" }
            return unsafe String(cString: start)
        }
    }
}
