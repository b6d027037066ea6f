internal import SocketTransport
internal import Wire

/// The requests for the origin in progress, whose responses equal requests wait for.
package final class CacheFlights: Sendable {
    /// What equal requests have in common.
    package struct Key: Sendable, Hashable {
        private let uri: String
        private let values: [String?]

        /// The fields whose values commonly select a response.
        ///
        /// Requests that differ in other fields still wait; whether the response answers them is known then.
        private static let names: [FieldName] = [
            .accept, .acceptCharset, .acceptEncoding, .acceptLanguage, .authorization,
            .cacheControl,
            .cookie, .pragma, .range,
        ]

        package init(_ uri: String, _ fields: HTTPHeaders) {
            self.uri = uri
            values = Self.names.map { fields.contains($0) ? fields.combined($0) : nil }
        }
    }

    /// What a request does.
    package enum Role: Sendable {
        /// It is sent, and others wait for its response until the flight ends.
        case leads(CacheFlight)
        /// It waits for the response to another request.
        case waits(ResultWaiter<Void>)
    }

    /// The maximum time that a request waits.
    package let maxWait: Duration
    private let waiters = Locked<[Key: [ResultWaiter<Void>]]>([:])

    init(maxWait: Duration) {
        self.maxWait = maxWait
    }

    /// Begins a flight, or waits for the one in progress.
    package func join(_ key: Key) -> Role {
        let waiter: ResultWaiter<Void>? = waiters.withLock { waiters in
            guard waiters[key] != nil else {
                waiters[key] = []
                return nil
            }
            let waiter = ResultWaiter<Void>()
            waiters[key]?.append(waiter)
            return waiter
        }
        return waiter.map { .waits($0) } ?? .leads(CacheFlight(self, key))
    }

    /// Removes a request that does not wait any more, although the flight may still be in progress.
    package func leave(_ key: Key, _ waiter: ResultWaiter<Void>) {
        waiters.withLock { $0[key]?.removeAll { $0 === waiter } }
    }

    /// The number of requests that wait for a flight.
    var waiting: Int { waiters.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    fileprivate func end(_ key: Key) {
        let ended = waiters.withLock { $0.removeValue(forKey: key) }
        for waiter in ended ?? [] { waiter.finish(()) }
    }
}

/// A request for the origin whose response others wait for.
///
/// It ends when it is released, if not before: if the caller drops a body that it does not read, the others do not wait
/// for it any more.
package final class CacheFlight: Sendable {
    private let flights: CacheFlights
    private let key: CacheFlights.Key
    private let hasEnded = Locked(false)

    fileprivate init(_ flights: CacheFlights, _ key: CacheFlights.Key) {
        self.flights = flights
        self.key = key
    }

    /// Lets the others look at what is stored now.
    package func end() {
        let isFirst = hasEnded.withLock { ended in
            defer { ended = true }
            return !ended
        }
        if isFirst { flights.end(key) }
    }

    deinit { end() }
}
