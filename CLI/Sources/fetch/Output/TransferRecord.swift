package import HTTPClient

/// The facts about a finished transfer that `--write-out` can print.
package struct TransferRecord: Sendable {
    /// The URL as given.
    package var url = ""
    /// The URL of the last request.
    package var effectiveURL = ""
    /// The number of the URL in the run, counted from 0.
    package var urlNumber = 0
    /// The file that the body was written to; nil for standard output.
    package var fileName: String?
    /// The method that was sent.
    package var method = ""
    /// The scheme, such as `http`; nil when there was no connection.
    package var scheme: String?
    /// The head of the response; nil when there was none.
    package var head: ResponseHead?
    /// The part that the cache had in the response; nil without a cache.
    package var cacheStatus: HTTPResponse.CacheStatus?
    /// Whether a response was left unread because its date did not meet `--time-cond`.
    package var failsTimeCondition = false
    /// The status of the last response of a proxy to CONNECT; 0 when there was none.
    package var connectStatus = 0
    /// The URL that a redirect names; nil when there is none.
    package var redirectURL: String?
    /// The number of redirects that were followed.
    package var redirects = 0
    /// The time from the start until the last redirect was received.
    package var redirected = Duration.zero
    /// The number of attempts before this one.
    package var retries = 0
    /// The size of all received heads in bytes.
    package var headBytes = 0
    /// The bytes of the request's head that were sent.
    package var requestBytes = 0
    /// The bytes of content that were sent.
    package var uploadedBytes = 0
    /// The bytes of content that were received, before decoding.
    package var downloadedBytes = 0
    /// The number of connections opened.
    package var newConnections = 0
    /// The address of the peer; nil without a connection.
    package var remoteAddress: String?
    /// The port of the peer; nil without a connection.
    package var remotePort: Int?
    /// The local address; nil without a connection.
    package var localAddress: String?
    /// The local port; nil without a connection.
    package var localPort: Int?
    /// The time from the start until the name was resolved.
    package var resolved = Duration.zero
    /// The time from the start until TCP was connected.
    package var connected = Duration.zero
    /// The time from the start until TLS was established.
    package var secured = Duration.zero
    /// The time from the start until a connection was acquired.
    package var leased = Duration.zero
    /// The time from the start until the pool had room for a connection; zero without waiting.
    package var queued = Duration.zero
    /// The time from the start until the request was sent.
    package var sent = Duration.zero
    /// The time from the start until the first byte of the response.
    package var firstByte = Duration.zero
    /// The time from the start until the end.
    package var total = Duration.zero
    /// The metrics of the client; nil when no request was made.
    package private(set) var metrics: HTTPMetrics?
    /// The error that ended the transfer; nil when it succeeded.
    package var failure: FetchError?

    package init() {}

    /// Copies the figures that the client measured.
    package mutating func update(from metrics: HTTPMetrics) {
        self.metrics = metrics
        remoteAddress = metrics.remoteAddress
        remotePort = metrics.remotePort
        localAddress = metrics.localAddress
        localPort = metrics.localPort
        let attempts = metrics.attempts
        newConnections = attempts.count { $0.connectionID != 0 && $0.connected != nil }
        uploadedBytes = attempts.last?.bodyBytesSent ?? 0
        requestBytes = attempts.reduce(0) { $0 + $1.headBytesSent }
        downloadedBytes = max(downloadedBytes, metrics.bodyBytesReceived)
        // A later attempt on the same connection has no times for opening it.
        resolved = attempts.last { $0.resolved != nil }?.resolved ?? .zero
        connected = attempts.last { $0.connected != nil }?.connected ?? .zero
        secured = attempts.last { $0.secured != nil }?.secured ?? .zero
        redirected =
            attempts.last { $0.reason == .redirect }.flatMap { last in
                attempts.prefix { $0 != last }.last?.headReceived
            } ?? .zero
        queued = attempts.first?.dequeued ?? .zero
        leased = metrics.leased ?? .zero
        sent = metrics.sent ?? .zero
        firstByte = metrics.firstByte ?? .zero
        total = metrics.total ?? total
    }
}
