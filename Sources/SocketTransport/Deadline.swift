private import Glibc

/// Marks a point on the monotonic clock by which something must have happened.
///
/// The unit is nanoseconds of `CLOCK_MONOTONIC`. "No deadline" is the value ``never``, not an
/// optional: combining two deadlines is always `min`.
package struct Deadline: Sendable, Hashable, Comparable {
    /// Nanoseconds since an arbitrary start; `Int64.max` means never.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Never passes.
    package static let never = Deadline(nanoseconds: .max)

    /// Reads the monotonic clock (about 22 ns).
    package static func now() -> Deadline {
        #if DEBUG
        if let time = SimulatedTime.now { return time }
        #endif
        var time = timespec()
        // SAFETY: `time` lives through the call. CLOCK_MONOTONIC cannot fail on Linux, so the result
        // carries nothing.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Deadline(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Returns the deadline that lies `duration` after this one; saturates at ``never``.
    ///
    /// A negative duration is taken as zero: the deadline has passed already.
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

    /// Returns the deadline that lies so many nanoseconds later; `Int64.max` of them are never over.
    package func advanced(byNanoseconds count: Int64) -> Deadline {
        let sum = nanoseconds.addingReportingOverflow(max(count, 0))
        return sum.overflow ? .never : Deadline(nanoseconds: sum.partialValue)
    }

    /// Tells how long epoll_wait(2) has to wait for this deadline at the time `now`.
    ///
    /// - Parameter now: what time it is.
    /// - Returns: milliseconds, rounded up, so that a timer is never looked at just before it is due;
    ///   0 when the deadline has passed, -1 for ``never``.
    package func milliseconds(after now: Deadline) -> Int32 {
        guard self != .never else { return -1 }
        let left = nanoseconds - now.nanoseconds
        guard left > 0 else { return 0 }
        // Not `left + 999_999`, which may be more than there is.
        return Int32(clamping: (left - 1) / 1_000_000 + 1)
    }

    package static func < (left: Deadline, right: Deadline) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

#if DEBUG
/// Replaces the clock of a thread on which a simulation runs; in debug builds only.
package enum SimulatedTime {
    private static let key = {
        var key = pthread_key_t()
        // SAFETY: `key` lives through the call.
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "a program has a thousand keys, and few are used")
        return key
    }()

    /// The time that the calling thread reads; nil means that of the monotonic clock.
    ///
    /// The time zero stands for nil.
    package static var now: Deadline? {
        get {
            // SAFETY: the pointer is a number and leads nowhere.
            let nanoseconds = unsafe Int(bitPattern: pthread_getspecific(key))
            return nanoseconds == 0 ? nil : Deadline(nanoseconds: Int64(nanoseconds))
        }
        set {
            let nanoseconds = Int(newValue?.nanoseconds ?? 0)
            // SAFETY: as above.
            let code = unsafe pthread_setspecific(
                key,
                UnsafeRawPointer(bitPattern: nanoseconds)
            )
            precondition(code == 0, "there is memory for one word")
        }
    }
}
#endif
