internal import HTTPClient
internal import Synchronization

/// A recorder of the heads and redirects of a transfer, in order.
///
/// Only an observer sees the heads of challenges, of proxies and of responses that failed later.
final class HeadRecorder: HTTPObserver {
    /// A head as the user sees it.
    struct Head: Sendable {
        /// The head as received, with a Cache-Status field if there is a cache; the fields of a stored response.
        let bytes: [UInt8]
        /// The number of bytes that were received.
        let receivedBytes: Int

        init(_ head: ResponseHead, _ status: HTTPResponse.CacheStatus? = nil) {
            guard let status else {
                bytes = head.rawBytes
                receivedBytes = bytes.count
                return
            }
            let isMade = status.usesStoredResponse || status.outcome == .unavailable
            let received = isMade ? [] : head.rawBytes
            var bytes = isMade ? head.bytes : received
            // Remove the empty line at the end, which a server may have written without CR.
            if bytes.last == 0x0A { bytes.removeLast() }
            if bytes.last == 0x0D { bytes.removeLast() }
            self.bytes = bytes + Array("Cache-Status: \(status)\r\n\r\n".utf8)
            receivedBytes = received.count
        }
    }

    /// What was recorded since the transfer began.
    struct Record: Sendable {
        var heads: [Head] = []
        /// The last head that the server sent in response to a request.
        var answer: ResponseHead?
        var redirects: [HTTPRedirect] = []
        /// Whether the last response only says that a stored one is valid.
        fileprivate var lastIsValidation = false
        /// The number of heads before the last exchange.
        private var start = 0

        /// Begins with the heads of an outcome.
        ///
        /// - Parameter replacesLast: whether it takes the place of the last one, which the server sent for the same
        ///   request.
        mutating func begin(replacing replacesLast: Bool) {
            if replacesLast { heads.removeSubrange(start...) }
            start = heads.count
        }
    }

    private let record = Mutex(Record())

    /// Records a step.
    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        case .received(let response):
            record.withLock { record in
                let status = response.cacheStatus
                let isReplacing = status?.replacesOutcome == true || record.lastIsValidation
                record.begin(replacing: isReplacing)
                // A 304 to a condition of the cache; what the user gets follows.
                record.lastIsValidation =
                    response.status == .notModified && status?.outcome == .miss
                record.heads += (response.proxyHeads + response.informational).map { Head($0) }
                record.heads.append(Head(response.head, status))
                record.answer = response.head
            }
        case .failed(let error):
            record.withLock { record in
                record.begin(replacing: false)
                record.heads += (error.proxyHeads + error.informational).map { Head($0) }
                guard let head = error.head else { return }
                record.heads.append(Head(head))
                record.answer = head
            }
        case .redirected(let redirect): record.withLock { $0.redirects.append(redirect) }
        default: break
        }
    }

    /// Returns the record and starts an empty one.
    func takeRecord() -> Record {
        record.withLock { record in
            defer { record = Record() }
            return record
        }
    }
}
