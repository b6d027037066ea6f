private import Glibc
internal import Synchronization

/// Says which thread is the loop: at most one at a time holds the seat.
///
/// A POSIX mutex, because the seat is taken in one function and left in another, because who waits
/// for it does so seldom and shortly, and because ThreadSanitizer sees it.
@safe struct LoopOwnership: ~Copyable, @unchecked Sendable {
    // Sendable because that is what the mutex is for; the atomics synchronise themselves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let owner = Atomic<UInt>(0)
    private let offeringThread = Atomic<UInt>(0)

    init() {
        unsafe mutex = .allocate(capacity: 1)
        // SAFETY: fresh memory that is not moved until `deinit`; without attributes it cannot fail.
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        // SAFETY: who holds the seat holds the loop, so nobody does.
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// True on the thread that is the loop.
    var isHeldByCurrentThread: Bool { owner.load(ordering: .relaxed) == Self.currentThread }

    /// Waits until the seat is free, and takes it.
    func acquire() {
        // SAFETY: the mutex lives as long as `self`; a thread takes the seat once (`isHeldByCurrentThread`).
        unsafe pthread_mutex_lock(mutex)
        owner.store(Self.currentThread, ordering: .relaxed)
    }

    /// Takes the seat, if it is free.
    func tryAcquire() -> Bool {
        // SAFETY: as in `acquire`.
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return false }
        owner.store(Self.currentThread, ordering: .relaxed)
        return true
    }

    /// Leaves the seat, which must be taken by this thread.
    func release() {
        owner.store(0, ordering: .relaxed)
        // SAFETY: locked by this thread; the mutex lives as long as `self`.
        unsafe pthread_mutex_unlock(mutex)
    }

    // MARK: - Visitors

    /// Notes that the calling thread would run its next job itself; of several the last one counts.
    func offerInlineRun() {
        offeringThread.store(Self.currentThread, ordering: .relaxed)
    }

    /// Forgets who has announced a visit.
    func cancelInlineOffer() {
        // Mostly there is none, and a load leaves the line to all processors.
        if offeringThread.load(ordering: .relaxed) != 0 {
            offeringThread.store(0, ordering: .relaxed)
        }
    }

    /// Tells whether the calling thread has announced a visit, and forgets it.
    func consumeInlineOffer() -> Bool {
        guard offeringThread.load(ordering: .relaxed) == Self.currentThread else { return false }
        offeringThread.store(0, ordering: .relaxed)
        return true
    }

    private static var currentThread: UInt { UInt(pthread_self()) }
}
