private import Glibc
internal import Synchronization

/// The ownership of a loop: at most one thread at a time runs the loop's work.
///
/// It uses a POSIX mutex for three reasons. The lock and unlock are in different functions, waiting
/// for it is rare and short, and ThreadSanitizer supports it.
@safe struct LoopOwnership: ~Copyable, @unchecked Sendable {
    // Sendable because the mutex and the atomics synchronize all access.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let owner = Atomic<UInt>(0)
    private let offeringThread = Atomic<UInt>(0)

    init() {
        unsafe mutex = .allocate(capacity: 1)
        // SAFETY: new memory that does not move until `deinit`; without attributes the call cannot
        // fail.
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        // SAFETY: an owning thread retains the loop, so no thread owns it now.
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Whether the calling thread owns the loop.
    var isHeldByCurrentThread: Bool { owner.load(ordering: .relaxed) == Self.currentThread }

    /// Waits until the loop has no owner, and takes ownership.
    func acquire() {
        // SAFETY: the mutex lives as long as `self`; a thread never acquires it twice
        // (`isHeldByCurrentThread`).
        unsafe pthread_mutex_lock(mutex)
        owner.store(Self.currentThread, ordering: .relaxed)
    }

    /// Takes ownership if the loop has no owner.
    func tryAcquire() -> Bool {
        // SAFETY: as in `acquire`.
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return false }
        owner.store(Self.currentThread, ordering: .relaxed)
        return true
    }

    /// Releases the ownership, which the calling thread must hold.
    func release() {
        owner.store(0, ordering: .relaxed)
        // SAFETY: locked by this thread; the mutex lives as long as `self`.
        unsafe pthread_mutex_unlock(mutex)
    }

    // MARK: - Inline runs

    /// Records that the calling thread could run its next job inline; replaces any other offer.
    func offerInlineRun() {
        offeringThread.store(Self.currentThread, ordering: .relaxed)
    }

    /// Removes any offer of an inline run.
    func cancelInlineOffer() {
        // Usually there is no offer, and a load keeps the cache line shared between processors.
        if offeringThread.load(ordering: .relaxed) != 0 {
            offeringThread.store(0, ordering: .relaxed)
        }
    }

    /// Returns whether the calling thread has offered an inline run, and removes the offer.
    func consumeInlineOffer() -> Bool {
        guard offeringThread.load(ordering: .relaxed) == Self.currentThread else { return false }
        offeringThread.store(0, ordering: .relaxed)
        return true
    }

    private static var currentThread: UInt { UInt(pthread_self()) }
}
