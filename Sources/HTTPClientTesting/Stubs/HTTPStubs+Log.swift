extension HTTPStubs {
    /// A log of the latest requests, with a memory limit for their bodies.
    struct Log: Sendable {
        private(set) var calls: [Call] = []
        /// The number of calls that were removed.
        private var forgotten = 0
        /// The total size of the stored bodies in bytes.
        private var bytes = 0
        /// The number of the first call with a stored body; the bodies of earlier calls were removed.
        private var firstWhole = 0

        private static let maxCalls = 4096 * 2
        private static let maxBytes = 64 << 20

        /// Appends a call; removes the older half if there are too many.
        ///
        /// - Returns: the call's number.
        mutating func append(_ call: Call) -> Int {
            if calls.count >= Self.maxCalls { forget(Self.maxCalls / 2) }
            calls.append(call)
            bytes += call.request.body.count
            makeRoom()
            return forgotten + calls.count - 1
        }

        /// Replaces a request with the version that has arrived completely.
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

        /// Removes the oldest bodies until the limit is met; the newest call always keeps its body.
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
