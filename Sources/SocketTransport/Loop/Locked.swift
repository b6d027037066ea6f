public import Synchronization

/// Holds a value that several threads share, behind a lock.
///
/// It is the standard library's `Mutex`, made visible to ThreadSanitizer. On Linux a contended
/// `Mutex` waits inside a library that is not instrumented, so the sanitizer misses that one thread
/// handed over to the next and reports races that are none. The fence below says it again in our
/// own, instrumented code; on its own it costs a plain load and a plain store.
///
/// The one public name of a module that is no product: only code that is public and inlinable is made
/// for the value it holds in other modules, and what is not costs several hundred instructions each time.
@frozen public struct Locked<Value>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let fence = Atomic<Int>(0)

    /// Holds this value.
    @inlinable public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the value while no other thread can; keep it short.
    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(1, ordering: .releasing) }
            return try body(&value)
        }
    }

    /// Runs `body` like `withLock`, unless another thread holds the lock: then nothing, and nil.
    @inlinable
    public borrowing func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable { value throws(Failure) in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(1, ordering: .releasing) }
            return try body(&value)
        }
    }
}
