#if ServiceLifecycle
public import ServiceLifecycle

/// A service that closes a client's connections when its `ServiceGroup` shuts down.
///
///     let group = ServiceGroup(
///         services: [HTTPClientService(client), server],
///         gracefulShutdownSignals: [.sigterm],
///         logger: logger
///     )
///     try await group.run()
///
/// A group shuts down its services in reverse order. List the client before the services that use
/// it, so that it shuts down after them.
///
/// At shutdown, the client closes idle connections immediately and others when their exchange ends.
/// So calls that have a connection, or wait for one, are finished. The service does not wait for
/// calls in an ``HTTPClientQueue`` or before a retry. The client remains usable: a later call opens
/// a connection, which closes at the end of the program.
///
/// The group's `maximumGracefulShutdownDuration` limits the time for the shutdown.
public struct HTTPClientService: Service {
    private let client: HTTPClient

    /// Creates a service for a client.
    ///
    /// - Parameter client: the client. Clients derived from it (``HTTPClient/with(_:)``) use the
    ///   same connections and need no separate service.
    public init(_ client: HTTPClient) {
        self.client = client
    }

    /// Waits for the shutdown, then until every connection is closed.
    ///
    /// If the task is canceled, the method returns early and leaves busy connections open.
    public func run() async {
        // `gracefulShutdown` throws if the task is canceled; then the drain does not wait either.
        try? await gracefulShutdown()
        await client.pool.drain()
        // Requests that waited got new connections when the old ones closed, so drain again.
        while !Task.isCancelled, await client.pool.snapshot().isBusy {
            try? await Task.sleep(for: .milliseconds(10))
            await client.pool.drain()
        }
    }
}

extension HTTPPoolSnapshot {
    /// Whether a request is in progress or waits for a connection.
    fileprivate var isBusy: Bool {
        origins.contains { $0.busy > 0 || $0.connecting > 0 || $0.waiting > 0 }
    }
}
#endif
