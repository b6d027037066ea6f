extension EventLoop {
    /// Returns whether an idle socket without events is known to be open and to have no input.
    ///
    /// If so, the caller need not ask the kernel. Only a loop that has polled its sockets since it
    /// began to run can know this:
    ///
    /// - A caller-driven loop is not polled between two drives. Until its first poll of a drive the
    ///   answer is false, so a blocking call asks the kernel once.
    /// - An inline run takes place while the loop's thread sleeps in its poll. An event wakes that
    ///   thread, but the inline run may check the socket first. In this case a poll counts for
    ///   100 µs: long enough for one call directly after another.
    /// - A poll that filled its batch may have omitted events. The answer is false.
    /// - Jobs that compute for long delay the next poll. A poll counts for 1 ms, which is longer
    ///   than a pass with a hundred busy connections.
    ///
    /// - Parameters:
    ///   - time: the time when the socket became idle.
    ///   - now: the current time.
    /// - Returns: whether the loop would know by now if the peer had closed or sent anything.
    package func isKnownIdle(since time: Deadline, at now: Deadline) -> Bool {
        let grace: Int64 = isRunningInline ? 100_000 : 1_000_000
        return hasPolledAll && now <= max(time, lastPoll).advanced(byNanoseconds: grace)
    }
}
