internal import HTTPClient
internal import Synchronization

/// A recorder of the heads and redirects of a transfer, in order.
///
/// Only an observer sees the heads of challenges, of proxies and of responses that failed later.
final class HeadRecorder: HTTPObserver {
    /// What was recorded since the transfer began.
    struct Record: Sendable {
        var heads: [ResponseHead] = []
        /// The last head that the server sent in response to a request.
        var answer: ResponseHead?
        var redirects: [HTTPRedirect] = []
    }

    private let record = Mutex(Record())

    /// Records a step.
    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        case .received(let response):
            record.withLock { record in
                record.heads += response.proxyHeads + response.informational + [response.head]
                record.answer = response.head
            }
        case .failed(let error):
            record.withLock { record in
                record.heads += error.proxyHeads + error.informational
                guard let head = error.head else { return }
                record.heads.append(head)
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
