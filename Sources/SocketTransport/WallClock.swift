internal import Glibc

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
