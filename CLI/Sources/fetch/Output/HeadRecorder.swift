internal import HTTPClient
internal import Synchronization

/// Keeps what a transfer meets on its way: heads in the order they came, and redirects.
///
/// Those of challenges, of proxies and of what failed in the end are seen by observers alone.
final class HeadRecorder: HTTPObserver {
    /// Holds what came since the transfer began.
    struct Record: Sendable {
        var heads: [ResponseHead] = []
        /// The last head that answered a request of ours to the server.
        var answer: ResponseHead?
        var redirects: [HTTPRedirect] = []
    }

    private let record = Mutex(Record())

    /// Takes note of a step.
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

    /// Gives what was kept, and begins anew.
    func takeRecord() -> Record {
        record.withLock { record in
            defer { record = Record() }
            return record
        }
    }
}
