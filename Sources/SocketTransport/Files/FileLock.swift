private import Glibc

/// An exclusive lock on a file name, held until the object is released, also against other processes.
///
/// The lock is that of a hidden file beside it, such as `.jar.lock` for `jar`, which stays: a lock on the
/// file itself would be lost when another one takes its place.
package final class FileLock: Sendable {
    private let descriptor: Descriptor

    /// The reason why there is no lock.
    package enum LockError: Error, Sendable, Hashable {
        case system(Errno)
        /// Another process has held it all the time.
        case heldElsewhere
    }

    /// Takes the lock.
    ///
    /// On a file system without locks this succeeds, and keeps no other process out. Where `path` has a name
    /// of more than 200 bytes, the name of the hidden file is shortened.
    ///
    /// - Parameters:
    ///   - path: the file that is to be changed.
    ///   - isWaiting: whether it waits up to two seconds for another process to release the lock, and blocks
    ///     meanwhile.
    /// - Throws: what the system says; `.heldElsewhere` when another process has it, or has had it all the time.
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
            // Not flock's own waiting: a stopped process must not stop this one.
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
        case .heldElsewhere: "another process has it locked"
        }
    }
}
