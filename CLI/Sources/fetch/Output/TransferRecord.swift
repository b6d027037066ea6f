package import HTTPClient

/// Holds what is known of a transfer after its end: what `--write-out` can print.
package struct TransferRecord: Sendable {
    /// The URL as given.
    package var url = ""
    /// The URL that was asked.
    package var effectiveURL = ""
    /// Counts the URLs of the call, from 0.
    package var urlNumber = 0
    /// The file that the body went to; nil for standard output.
    package var fileName: String?
    /// The method that was sent.
    package var method = ""
    /// Such as `http`; nil when there was no connection.
    package var scheme: String?
    /// The head of the response; nil when there was none.
    package var head: ResponseHead?
    /// Whether a response was left unread because it is not newer, or not older, than asked for.
    package var failsTimeCondition = false
    /// The status that a proxy last answered CONNECT with; 0 without.
    package var connectStatus = 0
    /// The URL that a redirect names; nil without one.
    package var redirectURL: String?
    /// Redirects that were followed.
    package var redirects = 0
    /// From the start until the last redirect was there.
    package var redirected = Duration.zero
    /// Tries that came before this one.
    package var retries = 0
    /// Bytes of all heads, as received.
    package var headBytes = 0
    /// Bytes of the request's head that were sent.
    package var requestBytes = 0
    /// Bytes of content that were sent.
    package var uploadedBytes = 0
    /// Bytes of content that were received, before decoding.
    package var downloadedBytes = 0
    /// Connections opened.
    package var newConnections = 0
    /// The address of the peer; nil without a connection.
    package var remoteAddress: String?
    /// The port of the peer; nil without a connection.
    package var remotePort: Int?
    /// Our address; nil without a connection.
    package var localAddress: String?
    /// Our port; nil without a connection.
    package var localPort: Int?
    /// From the start until the name was resolved.
    package var resolved = Duration.zero
    /// From the start until TCP was connected.
    package var connected = Duration.zero
    /// From the start until TLS was established.
    package var secured = Duration.zero
    /// From the start until a connection was ours.
    package var leased = Duration.zero
    /// From the start until there was room for a connection; zero when there was at once.
    package var queued = Duration.zero
    /// From the start until the request was sent.
    package var sent = Duration.zero
    /// From the start until the first byte of the response.
    package var firstByte = Duration.zero
    /// From the start until the end.
    package var total = Duration.zero
    /// What the client measured; nil when nothing was asked.
    package private(set) var metrics: HTTPMetrics?
    /// What ended the transfer early.
    package var failure: FetchError?

    package init() {}

    /// Takes over what the client measured.
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
        // An attempt that followed on the same connection has no marks of its opening.
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
