private import Glibc

/// A descriptor of the caller, to which bytes are written at its current position.
///
/// All functions block; call them on one thread at a time, and on none that must not wait for a reader.
/// SIGPIPE must be blocked on that thread, as on those for files.
package final class OutputDescriptor: @unchecked Sendable {
    // Sendable because one transfer uses it, on one thread at a time.

    /// How long a write waits for a reader before it asks whether the wait is over, in milliseconds.
    private static let patience: Int32 = 100

    package let kind: DescriptorKind
    /// The number of bytes written so far.
    package private(set) var written = 0
    private let number: Int32
    /// The pipe that carries bytes from memory to a pipe; nil until it is needed.
    ///
    /// The bytes are copied once, as by write(2). In contrast to that, splice(2) never waits for a reader.
    private var staging: TransferPipe?

    /// Creates an output that never closes the descriptor.
    ///
    /// - Throws: `EBADF` if the descriptor is not open.
    package init(_ number: Int32) throws(Errno) {
        self.number = number
        kind = try Syscalls.kind(of: number)
    }

    /// Whether splice(2) may move bytes from a pipe to the descriptor.
    ///
    /// With a socket that may block, it would wait for the peer without an end.
    package var takesPipes: Bool { kind != .socket }

    /// Writes all bytes of a pipe, inside the kernel if possible.
    ///
    /// - Parameters:
    ///   - pipe: the pipe. After an error it may contain bytes, and is not usable any more.
    ///   - isOver: whether a wait for a reader has to end.
    /// - Throws: the system's error, such as `ENOSPC` or `EPIPE`; `ECANCELED`. ``written`` then tells how
    ///   many bytes were written.
    package func write(_ pipe: TransferPipe, _ isOver: () -> Bool) throws(Errno) {
        while pipe.count > 0 {
            do throws(Errno) {
                let moved = try Syscalls.splice(
                    pipe.count,
                    from: pipe.reading.rawValue,
                    to: number
                )
                guard let moved else {
                    try waitForReader(isOver)
                    continue
                }
                guard moved > 0 else { throw .inputOutput }
                pipe.count -= moved
                written += moved
            } catch  where error.isTransferUnsupported {
                // Such as a file that was opened for appending.
                pipe.isRefused = true
                while pipe.count > 0 { try writeFromMemory(try pipe.read(), isOver) }
            }
        }
    }

    /// Writes all of `bytes`.
    ///
    /// - Throws: the same errors as the function for pipes.
    package func write(_ bytes: [UInt8], _ isOver: () -> Bool) throws(Errno) {
        // Without a descriptor for another pipe, small steps are written.
        if kind == .pipe, staging == nil { staging = try? TransferPipe() }
        guard kind == .pipe, let staging, !staging.isRefused else {
            return try writeFromMemory(bytes, isOver)
        }
        var sent = 0
        while sent < bytes.count {
            sent += try staging.append(bytes.span.extracting(sent...))
            try write(staging, isOver)
        }
    }

    private func writeFromMemory(
        _ bytes: [UInt8],
        _ isOver: () -> Bool
    ) throws(Errno) {
        var sent = 0
        while sent < bytes.count {
            if kind != .file { try waitForReader(isOver) }
            // A pipe with room takes this many bytes at once.
            let limit = kind == .pipe ? Int(PIPE_BUF) : bytes.count
            let rest = bytes.span.extracting(sent..<min(bytes.count, sent + limit))
            guard
                let count = try kind == .socket
                    ? Syscalls.sendAtOnce(number, rest) : Syscalls.write(number, rest)
            else {
                try waitForReader(isOver)
                continue
            }
            sent += count
            written += count
        }
    }

    /// Waits until the descriptor takes bytes or reports an error.
    private func waitForReader(_ isOver: () -> Bool) throws(Errno) {
        // It asks before each wait, because a reader that takes a byte at a time ends every wait.
        while true {
            if isOver() { throw .cancelled }
            if try Syscalls.isWritable(number, within: Self.patience) { return }
        }
    }
}
