#if ServiceLifecycle
public import ServiceLifecycle

/// Gives a client a place in a `ServiceGroup`, which closes its connections when the program ends.
///
///     let group = ServiceGroup(
///         services: [HTTPClientService(client), server],
///         gracefulShutdownSignals: [.sigterm],
///         logger: logger
///     )
///     try await group.run()
///
/// A group shuts its services down in the reverse of their order: put the client before those who
/// use it, and its turn comes when they are done. Then idle connections are closed at once and the
/// others when their exchange ends, so calls that have a connection, or wait for one, are finished; those
/// that wait for their turn in an ``HTTPClientQueue`` or for the time of a retry are not waited for. The
/// client can still be used: a call that is made later opens a connection, which the end of the program
/// closes.
///
/// How long that may take, `maximumGracefulShutdownDuration` of the group says.
public struct HTTPClientService: Service {
    private let client: HTTPClient

    /// Makes a service of a client.
    ///
    /// - Parameter client: clients that were derived of it (``HTTPClient/with(_:)``) use the same
    ///   connections and need no service of their own.
    public init(_ client: HTTPClient) {
        self.client = client
    }

    /// Waits for the shutdown, then until every connection is closed.
    ///
    /// Returns early when the task is cancelled, and leaves connections that are busy then alone.
    public func run() async {
        // It throws when the task is cancelled, and then the drain does not wait either.
        try? await gracefulShutdown()
        await client.pool.drain()
        // Who waited has got a connection of its own when the last one closed.
        while !Task.isCancelled, await client.pool.snapshot().isBusy {
            try? await Task.sleep(for: .milliseconds(10))
            await client.pool.drain()
        }
    }
}

extension HTTPPoolSnapshot {
    /// Whether a request is under way, or waits for a connection.
    fileprivate var isBusy: Bool {
        origins.contains { $0.busy > 0 || $0.connecting > 0 || $0.waiting > 0 }
    }
}
#endif
