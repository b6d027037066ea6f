private import Glibc

/// An exclusive lock on a file name, held until the object is released, also against other processes.
///
/// The lock is that of a hidden file beside it, such as `.jar.lock` for `jar`, which stays: a lock on the
/// file itself would be lost when another one takes its place.
package final class FileLock: Sendable {
    private let descriptor: Descriptor

    /// The reason why there is no lock.
    package enum Fault: Error, Sendable, Hashable {
        case system(Errno)
        /// Another process has held it all the time.
        case held
    }

    /// Takes the lock; waits up to two seconds for another process to release it.
    ///
    /// On a file system without locks this succeeds, and keeps no other process out.
    ///
    /// - Parameter path: the file that is to be changed.
    /// - Throws: what the system says; `.held` when the time is over.
    package init(for path: String) throws(Fault) {
        let target = TargetPath(path)
        do {
            descriptor = try Syscalls.openLockFile("\(target.folder).\(target.name).lock")
        } catch {
            throw .system(error)
        }
        for attempt in 0..<200 {
            do {
                if try Syscalls.lockAtOnce(descriptor.rawValue) { return }
            } catch  where error.isLackOfLocks {
                return
            } catch {
                throw .system(error)
            }
            // Not flock's own waiting: a stopped process must not stop this one.
            if attempt < 199 { usleep(10_000) }
        }
        throw .held
    }
}

extension FileLock.Fault: CustomStringConvertible {
    /// The reason in words.
    package var description: String {
        switch self {
        case .system(let errno): errno.description
        case .held: "another process has it locked"
        }
    }
}
