/// A file that is being written under a hidden name until it is complete.
///
/// Its functions block; they are for threads that may wait for a disk. The file is locked (`flock`) from
/// its creation until ``release()``, ``move(to:)`` or the end of the process: a file that nobody has
/// locked is a leftover.
package final class OutputFile: Sendable {
    /// The reason why a file cannot be written.
    package enum OutputError: Error, Sendable, Hashable {
        case system(Errno)
        /// The target is a device, a pipe or a socket.
        case notRegularFile
        /// The file is no partial file of this process's user: the name, the kind, the owner or the
        /// number of links is wrong.
        case notPartialFile
        /// Another download has locked the file.
        case locked
        /// Another file has the name.
        case replaced
    }

    /// Where it is until ``move(to:)``.
    package let path: String
    private let descriptor: Descriptor

    private init(_ path: String, _ descriptor: consuming Descriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Makes a file beside `target`, in the same directory, so that it can be moved there at once.
    ///
    /// The name is one of those of ``PartialFileName``: a fixed one, or a random one while all of them are
    /// taken. Files of earlier calls stay; see ``removeLeftovers(beside:)``.
    ///
    /// The owner of the new file does not matter: some file systems show another one than the process's
    /// user, such as NFS with `root_squash` and mounts with the option `uid`.
    ///
    /// - Parameters:
    ///   - target: the name that it is to have.
    ///   - permissions: its mode, less the umask: 0o666, or 0o600 for what only its owner may read.
    /// - Returns: an empty file, locked.
    /// - Throws: what the system says; `EISDIR` when the target is a directory; `.notRegularFile`.
    package static func create(
        beside target: String,
        permissions: UInt32 = 0o666
    ) throws(OutputError) -> OutputFile {
        guard !Syscalls.isDirectory(target), let name = PartialFileName(target: target) else {
            throw .system(.isDirectory)
        }
        guard !Syscalls.isSpecial(target) else { throw .notRegularFile }
        if let file = try create(name.fixedPaths, permissions) { return file }
        let others = (0..<100).map { _ in name.randomPath() }
        guard let file = try create(others, permissions) else { throw .system(.exists) }
        return file
    }

    /// Makes a file at the first path that is free.
    private static func create(
        _ paths: [String],
        _ permissions: UInt32
    ) throws(OutputError) -> OutputFile? {
        for path in paths {
            let file: OutputFile
            do throws(Errno) {
                file = OutputFile(path, try Syscalls.createFile(path, permissions))
            } catch .exists {
                continue
            } catch {
                throw .system(error)
            }
            do throws(Errno) {
                // Another process may have taken it for a leftover before it was locked.
                if try file.lock() != .heldElsewhere, try file.isIntact { return file }
            } catch {
                try? file.remove()
                throw .system(error)
            }
            try? file.remove()
        }
        return nil
    }

    /// Whether a name leads to a device, a pipe or a socket: nothing that a file should take the place
    /// of.
    package static func isSpecial(_ path: String) -> Bool { Syscalls.isSpecial(path) }

    /// Opens a partial file of an earlier call, and changes nothing in it.
    ///
    /// - Parameters:
    ///   - name: its name, without a directory.
    ///   - target: the file that it is to become, which is in the same directory.
    ///   - identity: what ``stampIdentity()`` returned; nil for any file.
    /// - Returns: the file, locked.
    /// - Throws: `ENOENT` when it is gone; `.notPartialFile` or `.locked`; `.replaced` when it is another file than
    ///   that of `identity`, or has changed.
    package static func reopen(
        _ name: String,
        beside target: String,
        identity: FileIdentity? = nil
    ) throws(OutputError) -> OutputFile {
        try reopenLocked(name, beside: target, identity).file
    }

    private static func reopenLocked(
        _ name: String,
        beside target: String,
        _ identity: FileIdentity?
    ) throws(OutputError) -> (file: OutputFile, lock: Lock) {
        guard let own = PartialFileName(target: target), own.matches(name) else {
            throw .notPartialFile
        }
        let path = own.directory + name
        do throws(Errno) {
            let file = OutputFile(path, try Syscalls.openFileForWriting(path))
            let descriptor = file.descriptor.rawValue
            guard try Syscalls.isExclusivelyOwned(descriptor, at: path) else { throw .invalid }
            // A download that uses another file of this name does not matter.
            if let identity {
                guard try Syscalls.identity(of: descriptor).inode == identity.inode else {
                    throw .stale
                }
            }
            let lock = try file.lock()
            guard lock != .heldElsewhere else { throw .again }
            // Who had it locked may have moved or removed it in between.
            guard try Syscalls.isExclusivelyOwned(descriptor, at: path) else { throw .noSuchFile }
            if let identity {
                guard try Syscalls.identity(of: descriptor) == identity else { throw .stale }
            }
            return (file, lock)
        } catch .again {
            throw .locked
        } catch .stale {
            throw .replaced
        } catch  where [.invalid, .isSymbolicLink, .isDirectory, .noReader].contains(error) {
            throw .notPartialFile
        } catch {
            throw .system(error)
        }
    }

    /// Deletes a partial file of an earlier call.
    ///
    /// - Throws: as ``reopen(_:beside:identity:)``.
    package static func remove(
        _ name: String,
        beside target: String,
        identity: FileIdentity? = nil
    ) throws(OutputError) {
        let file = try reopen(name, beside: target, identity: identity)
        do {
            try file.remove()
        } catch {
            throw .system(error)
        }
    }

    /// Removes the partial files of calls that ended without removing them, such as those of a process
    /// that was killed.
    ///
    /// Looks only at the fixed names of ``PartialFileName``. A file that is locked is in use and stays;
    /// so does one of another user, one that is no regular file or has another name besides, and one
    /// that cannot be removed.
    package static func removeLeftovers(beside target: String) {
        guard let name = PartialFileName(target: target) else { return }
        for path in name.fixedPaths {
            let found: (file: OutputFile, lock: Lock)? =
                try? reopenLocked(TargetPath(path).name, beside: target, nil)
            // Without locks nobody knows whether it is in use.
            if let found, found.lock == .acquired { try? found.file.remove() }
        }
    }

    /// The outcome of an attempt to lock a file.
    private enum Lock {
        case acquired
        /// Another descriptor holds it.
        case heldElsewhere
        /// The file system has no locks.
        case unsupported
    }

    /// Locks the file without waiting.
    private func lock() throws(Errno) -> Lock {
        do {
            return try Syscalls.tryLock(descriptor.rawValue) ? .acquired : .heldElsewhere
        } catch  where error.isLockingUnsupported {
            return .unsupported
        }
    }

    /// Releases the lock: the file stays for a later call, or until it is removed as a leftover.
    package func release() {
        Syscalls.unlock(descriptor.rawValue)
    }

    /// Gives the file a time of its last change that is random below the second, so that no other file has
    /// the same identity; call it behind the last write, before ``release()``.
    ///
    /// - Returns: the identity, for ``reopen(_:beside:identity:)``.
    /// - Throws: what the system says; `.notPartialFile` for a file that could not be reopened.
    package func stampIdentity() throws(OutputError) -> FileIdentity {
        do throws(Errno) {
            guard try Syscalls.isExclusivelyOwned(descriptor.rawValue, at: path) else {
                throw .invalid
            }
            return try Syscalls.stampedIdentity(of: descriptor.rawValue)
        } catch .invalid {
            throw .notPartialFile
        } catch {
            throw .system(error)
        }
    }

    /// Whether it is a regular file that has its name and no other one.
    private var isIntact: Bool {
        get throws(Errno) {
            guard try Syscalls.isRegularWithOneLink(descriptor.rawValue) else { return false }
            return try Syscalls.hasPath(descriptor.rawValue, path)
        }
    }

    /// Its size in bytes.
    package var size: Int {
        get throws(Errno) {
            guard let size = try Syscalls.fileSize(descriptor.rawValue) else { throw .invalid }
            return size
        }
    }

    /// Writes all of `bytes` at a place, counted from 0.
    package func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        try Syscalls.write(descriptor.rawValue, bytes.span, at: offset)
    }

    /// Cuts off what lies behind `size`.
    package func truncate(to size: Int) throws(Errno) {
        try Syscalls.truncate(descriptor.rawValue, to: size)
    }

    /// Waits until what was written is on the disk, and would outlive a loss of power.
    package func flush() throws(Errno) {
        try Syscalls.synchronize(descriptor.rawValue)
    }

    /// Gives it the name it is meant to have, in place of a file that has it now.
    ///
    /// - Throws: what the system says; `.notRegularFile` when the target has become a device, a pipe or a socket;
    ///   `.replaced` when another file has its hidden name.
    package func move(to target: String) throws(OutputError) {
        guard !Syscalls.isSpecial(target) else { throw .notRegularFile }
        do throws(Errno) {
            guard try Syscalls.hasPath(descriptor.rawValue, path) else { throw .stale }
            try Syscalls.rename(path, to: target)
        } catch .stale {
            throw .replaced
        } catch {
            throw .system(error)
        }
        release()
    }

    /// Waits until the names in the directory of `path` are on the disk, after ``move(to:)``.
    package static func flushDirectory(of path: String) throws(Errno) {
        try Syscalls.synchronizeDirectory(TargetPath(path).directory)
    }

    /// Deletes it; another file that has its name stays.
    package func remove() throws(Errno) {
        guard try Syscalls.hasPath(descriptor.rawValue, path) else { return }
        try Syscalls.remove(path)
    }
}

extension OutputFile.OutputError: CustomStringConvertible {
    /// The reason in words.
    package var description: String {
        switch self {
        case .system(let errno): errno.description
        case .notRegularFile: "it is a device, a pipe or a socket"
        case .notPartialFile: "it is not a partial file of this user"
        case .locked: "another download is using it"
        case .replaced: "another file has its name"
        }
    }
}
