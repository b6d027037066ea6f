extension HTTPStubs {
    /// Holds the latest requests, and no more of their bodies than memory should.
    struct Log: Sendable {
        private(set) var calls: [Call] = []
        /// Calls that are no longer here.
        private var forgotten = 0
        /// Bytes of all bodies that are here.
        private var bytes = 0
        /// All calls before this one have no body any more.
        private var firstWhole = 0

        private static let maxCalls = 4096 * 2
        private static let maxBytes = 64 << 20

        /// Adds a call; forgets the older half when there are too many.
        ///
        /// - Returns: its number.
        mutating func append(_ call: Call) -> Int {
            if calls.count >= Self.maxCalls { forget(Self.maxCalls / 2) }
            calls.append(call)
            bytes += call.request.body.count
            makeRoom()
            return forgotten + calls.count - 1
        }

        /// Puts a request that has arrived as a whole in the place of what was known of it.
        mutating func replace(_ request: HTTPStub.Request, at number: Int) {
            let index = number - forgotten
            guard calls.indices.contains(index) else { return }
            bytes += request.body.count - calls[index].request.body.count
            calls[index].request = request
            firstWhole = min(firstWhole, number)
            makeRoom()
        }

        mutating func removeAll() {
            forget(calls.count)
        }

        private mutating func forget(_ count: Int) {
            bytes -= calls.prefix(count).reduce(0) { $0 + $1.request.body.count }
            calls.removeFirst(count)
            forgotten += count
        }

        /// Drops the oldest bodies; that of the newest call stays whatever it has.
        private mutating func makeRoom() {
            firstWhole = max(firstWhole, forgotten)
            while bytes > Self.maxBytes, firstWhole < forgotten + calls.count - 1 {
                let index = firstWhole - forgotten
                bytes -= calls[index].request.body.count
                calls[index].request.body = []
                firstWhole += 1
            }
        }
    }
}
