/// A file that is written under a hidden name until it is complete.
///
/// All functions block; call them only on threads that may wait for a disk. The file is locked
/// (`flock`) from its creation until ``release()``, ``move(to:)`` or the end of the process. A file
/// without a lock is a leftover.
package final class OutputFile: Sendable {
    /// The reason why a file cannot be written.
    package enum OutputError: Error, Sendable, Hashable {
        case system(Errno)
        /// The target is a device, a pipe or a socket.
        case notRegularFile
        /// The file has the wrong name, type, owner or link count for a partial file of this
        /// process's user.
        case notPartialFile
        /// A file of another user has the name that a download with a journal needs.
        case otherOwner
        /// Another download has locked the file.
        case locked
        /// Another file has taken the name.
        case replaced
    }

    /// The path of the file until ``move(to:)``.
    package let path: String
    private let descriptor: Descriptor

    private init(_ path: String, _ descriptor: consuming Descriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Creates a file in the directory of `target`, so that a rename can replace `target`
    /// atomically.
    ///
    /// The name is a fixed one of ``PartialFileName``, or a random one if all fixed names are
    /// taken. Files of earlier calls are kept; see ``removeLeftovers(beside:)``.
    ///
    /// The owner of the new file is not checked. Some file systems report another owner than the
    /// process's user, such as NFS with `root_squash` and mounts with the option `uid`.
    ///
    /// - Parameters:
    ///   - target: the final path of the file.
    ///   - permissions: the mode, reduced by the umask: 0o666, or 0o600 for a file that only its
    ///     owner may read.
    /// - Returns: an empty, locked file.
    /// - Throws: the system's error; `EISDIR` if the target is a directory; `.notRegularFile`.
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

    /// Creates a file at the first path that is free; returns nil if none is.
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
                // Another process may have removed the file as a leftover before it was locked.
                if try file.lock() != .heldElsewhere, try file.isIntact { return file }
            } catch {
                try? file.remove()
                throw .system(error)
            }
            try? file.remove()
        }
        return nil
    }

    /// Whether `path` names anything, also a broken symbolic link.
    package static func exists(_ path: String) -> Bool { Syscalls.hasEntry(path) }

    /// Whether `path` is a directory.
    package static func isDirectory(_ path: String) -> Bool { Syscalls.isDirectory(path) }

    /// Whether `path` is a device, a pipe or a socket, which a file must not replace.
    package static func isSpecial(_ path: String) -> Bool { Syscalls.isSpecial(path) }

    /// Opens a partial file of an earlier call without changing it.
    ///
    /// - Parameters:
    ///   - name: the file name, without a directory.
    ///   - target: the final path of the download; its directory contains the partial file.
    ///   - identity: the result of ``stampIdentity()``; nil accepts any file.
    /// - Returns: the locked file.
    /// - Throws: `ENOENT` if the file no longer exists; `.notPartialFile` or `.locked`; `.replaced`
    ///   if it is not the file of `identity`, or has changed since.
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
            // A lock on another file of this name is irrelevant.
            if let identity {
                guard try Syscalls.identity(of: descriptor).inode == identity.inode else {
                    throw .stale
                }
            }
            let lock = try file.lock()
            guard lock != .heldElsewhere else { throw .again }
            // The previous lock holder may have moved or removed the file in the meantime.
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

    /// Deletes a partial file of an earlier call that has no journal.
    ///
    /// - Throws: the same errors as ``reopen(_:beside:identity:)``.
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

    /// Deletes the partial file of a target and its journal.
    ///
    /// It does nothing if they are gone, or those of another download. A journal without its partial file is left by a
    /// process that was killed after its download was complete.
    ///
    /// - Parameters:
    ///   - target: the final path of the file.
    ///   - isWanted: returns whether a journal is that of the download to discard.
    /// - Throws: `.notPartialFile`; `.locked` if a download uses the file, or if the file system has no locks.
    package static func removeJournaled(
        beside target: String,
        if isWanted: ([UInt8]) -> Bool
    ) throws(OutputError) {
        guard let name = PartialFileName(target: target) else { throw .notPartialFile }
        var file: OutputFile?
        do throws(OutputError) {
            let part = TargetPath(name.journaledPath).name
            let found = try reopenLocked(part, beside: target, nil)
            // Without locks, it is unknown whether the file is in use.
            guard found.lock == .acquired else { throw .locked }
            file = found.file
        } catch {
            guard case .system(.noSuchFile) = error else { throw error }
        }
        guard
            let text = try? Syscalls.readOwnFile(
                name.journalPath,
                limit: JournaledFile.maxJournalSize
            ),
            isWanted(text)
        else { return }
        JournaledFile.removeJournals(of: name)
        do {
            try file?.remove()
        } catch {
            throw .system(error)
        }
    }

    /// Removes the partial files that earlier calls left behind.
    ///
    /// Calls leave files if they end without removing them, such as in a killed process.
    ///
    /// Checks only the fixed names of ``PartialFileName``, and the file with a journal. Locked files are in use and are kept.
    /// Also kept are files of another user, files that are not regular, files with another link,
    /// and files that cannot be removed.
    package static func removeLeftovers(beside target: String) {
        guard let name = PartialFileName(target: target) else { return }
        for path in name.fixedPaths + [name.journaledPath] {
            guard let file = abandoned(TargetPath(path).name, beside: target) else { continue }
            // A journal without its file would be ignored, but stay.
            if path == name.journaledPath { JournaledFile.removeJournals(of: name) }
            try? file.remove()
        }
    }

    /// Removes a partial file that an earlier call left behind.
    ///
    /// A file in use is kept, and so are those that ``removeLeftovers(beside:)`` keeps.
    ///
    /// - Parameters:
    ///   - name: the file name, without a directory.
    ///   - target: a path in the same directory, from which the name was made.
    /// - Throws: the system's error if the file cannot be removed.
    package static func removeLeftover(_ name: String, beside target: String) throws(Errno) {
        try abandoned(name, beside: target)?.remove()
    }

    /// Opens and locks a partial file that no call uses; returns nil if there is none.
    private static func abandoned(_ name: String, beside target: String) -> OutputFile? {
        let found: (file: OutputFile, lock: Lock)? = try? reopenLocked(name, beside: target, nil)
        // Without locks, it is unknown whether the file is in use.
        guard let found, found.lock == .acquired else { return nil }
        return found.file
    }

    /// The outcome of an attempt to lock a file.
    private enum Lock {
        case acquired
        /// Another descriptor holds the lock.
        case heldElsewhere
        /// The file system does not support locks.
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

    /// Releases the lock; the file remains for a later call, or until it is removed as a leftover.
    package func release() {
        Syscalls.unlock(descriptor.rawValue)
    }

    /// Sets the modification time to a random fraction of its second, which identifies the file.
    ///
    /// Call it after the last write and before ``release()``.
    ///
    /// - Returns: the identity, for ``reopen(_:beside:identity:)``.
    /// - Throws: the system's error; `.notPartialFile` for a file that could not be reopened.
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

    /// Opens the file at `path`, or creates it, and locks it without waiting.
    ///
    /// A new file has mode 0o600. See ``setPermissions(_:)``.
    ///
    /// - Returns: the file, and whether it was created. The file is nil if another one has taken its name
    ///   before it was locked.
    /// - Throws: the system's error; `.notPartialFile`; `.locked`.
    static func openOrCreate(
        _ path: String
    ) throws(OutputError) -> (file: OutputFile?, isNew: Bool) {
        do throws(Errno) {
            var isNew = true
            let file: OutputFile
            do throws(Errno) {
                file = OutputFile(path, try Syscalls.createFile(path, 0o600))
            } catch .exists {
                file = OutputFile(path, try Syscalls.openFileForWriting(path))
                isNew = false
                // Check first: nothing is known about the locks of a file of another user.
                guard try Syscalls.isRegularWithOneLink(file.descriptor.rawValue),
                    try Syscalls.isOwnedByUser(file.descriptor.rawValue)
                else { throw .invalid }
            }
            guard try file.lock() != .heldElsewhere else { throw .again }
            let isNamed = (try? Syscalls.hasPath(file.descriptor.rawValue, path)) ?? false
            return (isNamed ? file : nil, isNew)
        } catch .again {
            throw .locked
        } catch .noSuchFile where Syscalls.isDirectory(TargetPath(path).directory) {
            // Another process removed the file between the two calls.
            return (nil, false)
        } catch  where [.invalid, .isSymbolicLink, .isDirectory, .noReader].contains(error) {
            throw .notPartialFile
        } catch {
            throw .system(error)
        }
    }

    /// Returns the mode that the umask and the directory give a new file beside `target`.
    ///
    /// - Throws: the system's error.
    package static func defaultPermissions(beside target: String) throws(OutputError) -> UInt32 {
        do throws(Errno) {
            return try Syscalls.defaultMode(in: TargetPath(target).directory)
        } catch .notSupported, .isDirectory, .invalid {
            // Some file systems have no files without a name.
            guard let path = PartialFileName(target: target)?.randomPath() else {
                throw .system(.isDirectory)
            }
            do throws(Errno) {
                let file = try Syscalls.createFile(path)
                defer { try? Syscalls.remove(path) }
                return try Syscalls.mode(of: file.rawValue)
            } catch {
                throw .system(error)
            }
        } catch {
            throw .system(error)
        }
    }

    /// Changes the mode of the file.
    ///
    /// - Throws: the system's error, such as `EPERM` on a file system without modes.
    func setPermissions(_ mode: UInt32) throws(Errno) {
        try Syscalls.setMode(of: descriptor.rawValue, mode)
    }

    /// Whether this is a regular file with its own name and no other link.
    var isIntact: Bool {
        get throws(Errno) {
            guard try Syscalls.isRegularWithOneLink(descriptor.rawValue) else { return false }
            return try Syscalls.hasPath(descriptor.rawValue, path)
        }
    }

    /// The size in bytes.
    package var size: Int {
        get throws(Errno) {
            guard let size = try Syscalls.fileSize(descriptor.rawValue) else { throw .invalid }
            return size
        }
    }

    /// The inode number.
    package var inode: UInt64 {
        get throws(Errno) { try Syscalls.identity(of: descriptor.rawValue).inode }
    }

    /// Reads up to `count` bytes at `offset`; fewer bytes mean the end of the file was reached.
    package func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
        try Syscalls.read(descriptor.rawValue, count, at: offset)
    }

    /// Reserves disk space for `size` bytes, without changing the size of the file.
    package func preallocate(_ size: Int) throws(Errno) {
        try Syscalls.preallocate(descriptor.rawValue, size)
    }

    /// Writes all of `bytes` at `offset`.
    package func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        try Syscalls.write(descriptor.rawValue, bytes.span, at: offset)
    }

    /// Writes all bytes of a pipe at `offset`, inside the kernel if the file system supports it.
    ///
    /// After an error the pipe may contain bytes, and is not usable any more.
    package func write(_ pipe: TransferPipe, at offset: Int) throws(Errno) {
        var position = offset
        while pipe.count > 0 {
            do throws(Errno) {
                let moved = try Syscalls.splice(
                    pipe.count,
                    from: pipe.reading.rawValue,
                    to: descriptor.rawValue,
                    at: position
                )
                // A pipe with bytes is not empty.
                guard let moved, moved > 0 else { throw .inputOutput }
                pipe.count -= moved
                position += moved
            } catch  where error.isTransferUnsupported {
                pipe.isRefused = true
                return try copy(pipe, at: position)
            }
        }
    }

    /// Writes all bytes of an extent of another file at `offset`, inside the kernel if possible.
    package func write(_ extent: FileExtent, at offset: Int) throws(FileExtent.CopyError) {
        var copied = 0
        while copied < extent.count {
            do throws(Errno) {
                let count = try Syscalls.copy(
                    extent.count - copied,
                    from: extent.file.descriptor.rawValue,
                    at: extent.offset + copied,
                    to: descriptor.rawValue,
                    at: offset + copied
                )
                guard count > 0 else { break }
                copied += count
            } catch  where error.isFull {
                throw .target(error)
            } catch {
                // Some kernels do not copy between file systems, and some sandboxes forbid the call.
                break
            }
        }
        // Only a read and a write tell which of the files has failed.
        if copied < extent.count { try copy(extent.dropping(copied), at: offset + copied) }
    }

    /// Truncates the file to `size` bytes.
    package func truncate(to size: Int) throws(Errno) {
        try Syscalls.truncate(descriptor.rawValue, to: size)
    }

    /// Waits until the written data is on the disk and would survive a power failure.
    package func flush() throws(Errno) {
        try Syscalls.synchronize(descriptor.rawValue)
    }

    /// Renames the file to `target`, and releases its lock.
    ///
    /// - Parameters:
    ///   - target: the new path.
    ///   - existing: whether the file replaces one of that name. Default: it does.
    /// - Throws: the system's error, such as `EEXIST`; `.notRegularFile` if the target has become a
    ///   device, a pipe or a socket; `.replaced` if another file has taken the hidden name.
    package func move(
        to target: String,
        existing: ExistingTarget = .replace
    ) throws(OutputError) {
        try moveKeepingLock(to: target, existing: existing)
        release()
    }

    func moveKeepingLock(
        to target: String,
        existing: ExistingTarget
    ) throws(OutputError) {
        guard !Syscalls.isSpecial(target) else { throw .notRegularFile }
        do throws(Errno) {
            guard try Syscalls.hasPath(descriptor.rawValue, path) else { throw .stale }
            switch existing {
            case .replace: try Syscalls.rename(path, to: target)
            case .keep: try Syscalls.renameToNewName(path, to: target)
            }
        } catch .stale {
            throw .replaced
        } catch {
            throw .system(error)
        }
    }

    /// Waits until the names in `path`'s directory are on the disk; call it after ``move(to:)``.
    package static func flushDirectory(of path: String) throws(Errno) {
        try Syscalls.synchronizeDirectory(TargetPath(path).directory)
    }

    /// Deletes the file; another file that has taken its name is kept.
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
        case .otherOwner: "it belongs to another user"
        case .locked: "another download is using it"
        case .replaced: "another file has its name"
        }
    }
}
