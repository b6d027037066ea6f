private import Glibc

/// An exclusive lock on a file name, also against other processes.
///
/// It is held until the object is released.
///
/// The lock is taken on a hidden file in the same directory, such as `.jar.lock` for `jar`. The
/// hidden file is never removed. A lock on the file itself would be lost when another file replaces
/// it.
package final class FileLock: Sendable {
    private let descriptor: Descriptor

    /// The reason why the lock was not acquired.
    package enum LockError: Error, Sendable, Hashable {
        case system(Errno)
        /// Another process holds the lock, or held it the whole time.
        case heldElsewhere
    }

    /// Acquires the lock.
    ///
    /// On a file system without locks this succeeds, but does not exclude other processes. If the
    /// file name of `path` has more than 200 bytes, the name of the hidden file is shortened.
    ///
    /// - Parameters:
    ///   - path: the file that will be changed.
    ///   - isWaiting: whether to block for up to two seconds until another process releases the
    ///     lock.
    /// - Throws: the system's error; `.heldElsewhere` if another process holds the lock, or held it
    ///   the whole time.
    package init(for path: String, isWaiting: Bool = true) throws(LockError) {
        let target = TargetPath(path)
        let name = PartialFileName.shortened(target.name)
        do {
            descriptor = try Syscalls.openLockFile("\(target.directory).\(name).lock")
        } catch {
            throw .system(error)
        }
        let attempts = isWaiting ? 200 : 1
        for attempt in 1...attempts {
            do {
                if try Syscalls.tryLock(descriptor.rawValue) { return }
            } catch  where error.isLockingUnsupported {
                return
            } catch {
                throw .system(error)
            }
            // flock's own wait is not used: a stopped process would block this one without limit.
            if attempt < attempts { usleep(10_000) }
        }
        throw .heldElsewhere
    }
}

extension FileLock.LockError: CustomStringConvertible {
    /// The reason in words.
    package var description: String {
        switch self {
        case .system(let errno): errno.description
        case .heldElsewhere: "another process has locked it"
        }
    }
}
