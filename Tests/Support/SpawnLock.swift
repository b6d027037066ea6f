internal import Glibc

/// A lock that prevents the start of programs while it would affect a test.
///
/// Between its fork and its exec a child has a copy of every descriptor. It keeps those that are
/// not close-on-exec yet, and a descriptor closed in between stays open for the peer.
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

    /// Runs `body` while no program is being started; several calls may run at the same time.
    package static func withoutSpawning<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let pointer = unsafe lock.pointer
        unsafe pthread_rwlock_rdlock(pointer)
        defer { unsafe pthread_rwlock_unlock(pointer) }
        return try body()
    }

    /// Runs `body`, which starts a program, exclusively.
    static func spawning<Value>(_ body: () -> Value) -> Value {
        let pointer = unsafe lock.pointer
        unsafe pthread_rwlock_wrlock(pointer)
        defer { unsafe pthread_rwlock_unlock(pointer) }
        return body()
    }
}
