/// A gate that holds a scripted origin at one step until the test opens it.
///
/// With a gate a test needs no sleep. It waits until the origin arrives, performs its checks, and
/// lets the origin continue.
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

    /// Lets every connection that waits here, now or later, continue.
    package func open() {
        event.signal()
    }

    /// Suspends until a connection reaches the gate; a second call waits for the next arrival.
    ///
    /// Returns early if the task is canceled, such as by a test's time limit.
    package func arrival() async {
        for await _ in arrivals { return }
    }

    /// Blocks the calling thread until the gate is open, as a slow disk would.
    package func block() {
        event.wait()
    }

    func arrived() {
        announce.yield()
    }
}
