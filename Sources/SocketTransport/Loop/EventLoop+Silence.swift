extension EventLoop {
    /// Tells whether a socket that was silent at `time` need not be asked whether it still is.
    ///
    /// What it has to say would wake the loop's thread, which tells the target. That takes a moment,
    /// in which a visitor may look; and a loop that nobody drives hears nothing. So silence is trusted
    /// for 5 ms after the sockets were heard, and by a visitor for 100 µs: between two calls, one
    /// right after the other, nothing is asked.
    package func trustsSilence(since time: Deadline, at now: Deadline) -> Bool {
        let grace: Int64 = isVisited ? 100_000 : 5_000_000
        return now <= max(time, lastPoll).advanced(byNanoseconds: grace)
    }
}
