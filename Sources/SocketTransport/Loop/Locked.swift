public import Synchronization

/// A value that several threads share, protected by a lock.
///
/// It is the standard library's `Mutex`, made visible to ThreadSanitizer. On Linux a contended
/// `Mutex` waits inside a library that is not instrumented. The sanitizer misses the
/// synchronization between the two threads and reports false races. The fence below repeats the
/// synchronization in instrumented code; it costs a plain load and a plain store.
///
/// The attributes let the compiler specialize it in other modules; unspecialized code costs several
/// hundred instructions per use. `@inlinable` alone does not suffice for a type with package access.
@usableFromInline package struct Locked<Value>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let fence = Atomic<Int>(0)

    /// Creates a lock around `value`.
    @inlinable package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access to the value; keep it short.
    @inlinable
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(1, ordering: .releasing) }
            return try body(&value)
        }
    }

    /// Runs `body` like `withLock`, or returns nil at once if another thread holds the lock.
    @inlinable
    package borrowing func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable { value throws(Failure) in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(1, ordering: .releasing) }
            return try body(&value)
        }
    }
}
