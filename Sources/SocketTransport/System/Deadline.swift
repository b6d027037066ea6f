internal import Glibc

/// A point in time on the monotonic clock by which an operation must finish.
///
/// The unit is nanoseconds of `CLOCK_MONOTONIC`, which stands still while the machine sleeps, so that a sleep
/// does not time out a call. "No deadline" is the value ``never`` and not an optional, so two
/// deadlines are always combined with `min`.
///
/// The ages of idle connections and of DNS entries are measured with another clock:
/// ``nowCountingSleep()``.
package struct Deadline: Sendable, Hashable, Comparable {
    /// Nanoseconds since an arbitrary start; `Int64.max` means never.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// A deadline that never passes.
    package static let never = Deadline(nanoseconds: .max)

    /// Returns the current time of the monotonic clock (about 22 ns).
    package static func now() -> Deadline {
        #if DEBUG
        if let time = SimulatedTime.now { return time }
        #endif
        var time = timespec()
        // SAFETY: `time` outlives the call. CLOCK_MONOTONIC cannot fail on Linux, so the result is
        // ignored.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        // A machine does not run for 292 years, so nothing overflows. With the checked operators, the compiler would
        // merge this function with `nowCountingSleep()`, and each read of the clock would take 12 instructions more.
        return Deadline(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Returns the current time of the clock that also counts while the machine sleeps (`CLOCK_BOOTTIME`).
    ///
    /// For the ages of idle connections and DNS entries: servers close connections, and addresses change, while the
    /// machine sleeps. Compare the result only with times of the same clock.
    package static func nowCountingSleep() -> Deadline {
        #if DEBUG
        if let time = SimulatedTime.now {
            return time.advanced(byNanoseconds: SimulatedTime.sleep)
        }
        #endif
        var time = timespec()
        // SAFETY: `time` outlives the call. CLOCK_BOOTTIME cannot fail since Linux 2.6.39.
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        let now = Deadline(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        #if DEBUG
        return now.advanced(byNanoseconds: SimulatedTime.sleep)
        #else
        return now
        #endif
    }

    /// Returns the deadline `duration` after this one; saturates at ``never``.
    ///
    /// A negative duration counts as zero: the result is this deadline.
    package func advanced(by duration: Duration) -> Deadline {
        guard self != .never else { return .never }
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return self }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .never }
        let step = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !step.overflow else { return .never }
        let sum = nanoseconds.addingReportingOverflow(step.partialValue)
        return sum.overflow ? .never : Deadline(nanoseconds: sum.partialValue)
    }

    /// Returns the deadline `count` nanoseconds later; saturates at ``never``.
    ///
    /// A negative count is taken as zero.
    package func advanced(byNanoseconds count: Int64) -> Deadline {
        let sum = nanoseconds.addingReportingOverflow(max(count, 0))
        return sum.overflow ? .never : Deadline(nanoseconds: sum.partialValue)
    }

    /// Returns the timeout that epoll_wait(2) needs for this deadline at the time `now`.
    ///
    /// - Parameter now: the current time.
    /// - Returns: milliseconds, rounded up, so that a timer is never checked just before it is due;
    ///   0 if the deadline has passed, -1 for ``never``.
    package func milliseconds(after now: Deadline) -> Int32 {
        guard self != .never else { return -1 }
        let left = nanoseconds - now.nanoseconds
        guard left > 0 else { return 0 }
        // Not `left + 999_999`, which can overflow.
        return Int32(clamping: (left - 1) / 1_000_000 + 1)
    }

    package static func < (left: Deadline, right: Deadline) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

#if DEBUG
/// A replacement for the clocks on threads that run a simulation; debug builds only.
package enum SimulatedTime {
    private static let nowKey = makeKey()
    private static let sleepKey = makeKey()

    /// The time that the calling thread reads; nil means the time of the monotonic clock.
    ///
    /// Time 0 is stored for nil.
    package static var now: Deadline? {
        get {
            let nanoseconds = number(nowKey)
            return nanoseconds == 0 ? nil : Deadline(nanoseconds: nanoseconds)
        }
        set { store(newValue?.nanoseconds ?? 0, nowKey) }
    }

    /// The nanoseconds that the machine seems to have slept, for the calling thread.
    package static var sleep: Int64 {
        get { number(sleepKey) }
        set { store(newValue, sleepKey) }
    }

    private static func makeKey() -> pthread_key_t {
        var key = pthread_key_t()
        // SAFETY: `key` outlives the call.
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "no key for thread-specific data is left")
        return key
    }

    private static func number(_ key: pthread_key_t) -> Int64 {
        // SAFETY: the pointer only stores a number and is never dereferenced.
        unsafe Int64(Int(bitPattern: pthread_getspecific(key)))
    }

    private static func store(_ number: Int64, _ key: pthread_key_t) {
        // SAFETY: as above.
        let code = unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: Int(number)))
        precondition(code == 0, "no memory for thread-specific data")
    }
}
#endif

/// The time of day, for dates of the protocol; all other code uses ``Deadline``.
package enum WallClock {
    /// Whole seconds since 1970 in UTC.
    package static var secondsSince1970: Int {
        var time = timespec()
        // SAFETY: `time` outlives the call.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec
    }

    /// Nanoseconds since 1970 in UTC; `Int64.max` from 2262 on.
    package static var nanosecondsSince1970: Int64 {
        var time = timespec()
        // SAFETY: `time` lives through the call.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        let (whole, hasOverflowed) = Int64(time.tv_sec).multipliedReportingOverflow(
            by: 1_000_000_000
        )
        return hasOverflowed
            ? .max : whole.addingReportingOverflow(Int64(time.tv_nsec)).partialValue
    }
}
