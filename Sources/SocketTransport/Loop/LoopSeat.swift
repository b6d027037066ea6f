private import Glibc
internal import Synchronization

/// Says which thread is the loop: at most one at a time holds the seat.
///
/// A POSIX mutex, because the seat is taken in one function and left in another, because who waits
/// for it does so seldom and shortly, and because ThreadSanitizer sees it.
@safe struct LoopSeat: ~Copyable, @unchecked Sendable {
    // Sendable because that is what the mutex is for; the atomics synchronise themselves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let holder = Atomic<UInt>(0)
    private let visitor = Atomic<UInt>(0)

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
    var isMine: Bool { holder.load(ordering: .relaxed) == Self.me }

    /// Waits until the seat is free, and takes it.
    func take() {
        // SAFETY: the mutex lives as long as `self`; a thread takes the seat once (`isMine`).
        unsafe pthread_mutex_lock(mutex)
        holder.store(Self.me, ordering: .relaxed)
    }

    /// Takes the seat, if it is free.
    func takeIfFree() -> Bool {
        // SAFETY: as in `take`.
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return false }
        holder.store(Self.me, ordering: .relaxed)
        return true
    }

    /// Leaves the seat, which must be taken by this thread.
    func leave() {
        holder.store(0, ordering: .relaxed)
        // SAFETY: locked by this thread; the mutex lives as long as `self`.
        unsafe pthread_mutex_unlock(mutex)
    }

    // MARK: - Visitors

    /// Notes that the calling thread would run its next job itself; of several the last one counts.
    func announceVisit() {
        visitor.store(Self.me, ordering: .relaxed)
    }

    /// Forgets who has announced a visit.
    func withdrawVisit() {
        // Mostly there is none, and a load leaves the line to all processors.
        if visitor.load(ordering: .relaxed) != 0 { visitor.store(0, ordering: .relaxed) }
    }

    /// Tells whether the calling thread has announced a visit, and forgets it.
    func takeAnnouncement() -> Bool {
        guard visitor.load(ordering: .relaxed) == Self.me else { return false }
        visitor.store(0, ordering: .relaxed)
        return true
    }

    private static var me: UInt { UInt(pthread_self()) }
}
