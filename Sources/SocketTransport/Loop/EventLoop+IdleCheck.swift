extension EventLoop {
    /// Whether an idle socket that reported nothing is known to be open and to have no input, so that
    /// the kernel need not be asked.
    ///
    /// Only a loop that has polled its sockets since it began to run can know that:
    ///
    /// - A caller-driven loop is not polled between two drives. Until its first poll of a drive the answer
    ///   is false. A blocking call therefore asks the kernel once.
    /// - A visitor runs while the loop's thread sleeps in its poll. An event wakes that thread, but the
    ///   visitor may look before it does. A poll counts for 100 µs then: long enough for one call right
    ///   behind another.
    /// - A poll that filled its batch may have left events out. The answer is false.
    /// - Jobs that compute for long delay the next poll. A poll counts for 1 ms, which is more than a
    ///   pass with a hundred busy connections takes.
    ///
    /// - Parameters:
    ///   - time: when the socket became idle.
    ///   - now: the current time.
    /// - Returns: whether the loop would know by now if the peer had closed or sent anything.
    package func isKnownIdle(since time: Deadline, at now: Deadline) -> Bool {
        let grace: Int64 = isRunningInline ? 100_000 : 1_000_000
        return hasPolledAll && now <= max(time, lastPoll).advanced(byNanoseconds: grace)
    }
}
