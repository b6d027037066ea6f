internal import Glibc

/// Keeps programs from being started while it would be noticed.
///
/// Between its fork and its exec a child holds a copy of every descriptor: one that is not close-on-exec
/// yet stays with it, and what is closed meanwhile is not closed for the peer.
package enum SpawnLock {
    private static let lock = {
        let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
        let code = unsafe pthread_rwlock_init(lock, nil)
        precondition(code == 0)
        return unsafe SendablePointer(pointer: lock)
    }()

    @safe private struct SendablePointer: @unchecked Sendable {
        let pointer: UnsafeMutablePointer<pthread_rwlock_t>
    }

    /// Runs `body`, beside others that do so, while no program is being started.
    package static func withoutSpawning<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let pointer = unsafe lock.pointer
        unsafe pthread_rwlock_rdlock(pointer)
        defer { unsafe pthread_rwlock_unlock(pointer) }
        return try body()
    }

    /// Runs `body`, which starts a program, alone.
    static func spawning<Value>(_ body: () -> Value) -> Value {
        let pointer = unsafe lock.pointer
        unsafe pthread_rwlock_wrlock(pointer)
        defer { unsafe pthread_rwlock_unlock(pointer) }
        return body()
    }
}
