/// Holds a scripted origin at one step until the test opens it.
///
/// With a gate a test needs no sleep: it waits for the origin to arrive, does what it came for,
/// and lets the origin go on.
///
///     let gate = Gate()
///     let origin = try ScriptedOrigin([.expectHead, .pause(gate), .reply("HTTP/1.1 204 No Content\r\n\r\n")])
///     …start a request…
///     await gate.arrival()
///     gate.open()
package final class Gate: Sendable {
    let event = OneShotEvent()
    private let arrivals: AsyncStream<Void>
    private let announce: AsyncStream<Void>.Continuation

    package init() {
        (arrivals, announce) = AsyncStream.makeStream()
    }

    /// Lets every connection that waits here, now or later, go on.
    package func open() {
        event.signal()
    }

    /// Suspends until a connection reaches the gate; a second call waits for the next arrival.
    ///
    /// Returns early when the task is cancelled (a test over its time limit).
    package func arrival() async {
        for await _ in arrivals { return }
    }

    func arrived() {
        announce.yield()
    }
}
