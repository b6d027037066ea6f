internal import HTTPClient
internal import Synchronization

/// An observer that shows each exchange of a call, including redirects and challenges.
///
/// It shows what the client waits for, a request when it is sent, and a 1xx response when it arrives. Through a tunnel, it
/// shows both when the exchange has ended, after the responses of the proxy.
final class ExchangeDisplay: HTTPObserver {
    let interests = HTTPStep.Interests.all

    private let console: Console
    /// A prepared request, shown once its connection is known.
    private struct Sent: Sendable {
        var head: RequestHead?
        var body: HTTPBody?
        /// The number of its attempts that are shown already.
        var shownAttempts = 0
        /// The number of responses of proxies to it that are shown already.
        var shownProxyHeads = 0
        /// The number of 1xx responses to it that are shown already.
        var shownInformational = 0
        /// Whether its final response was shown.
        var isAnswered = false
    }

    private let sent = Mutex(Sent())

    init(_ console: Console) {
        self.console = console
    }

    /// Shows a step of the call.
    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        switch step {
        case .prepared(let request): sent.withLock { $0 = Sent(body: request.body) }
        case .sending(let head): sent.withLock { $0.head = head }
        case .entered(.queue, _): console.info("Waiting for a connection")
        case .entered(.resolve, _): console.info("Resolving the name")
        case .entered(.connect, _): console.info("Connecting")
        case .entered(.proxyHandshake, _): console.info("Asking the proxy for a tunnel")
        case .entered(.tlsHandshake, _): console.info("Negotiating TLS")
        case .entered(.sending, let attempt) where attempt.tunneled == nil:
            sent.withLock { $0.shownAttempts += 1 }
            if attempt.reason == .lostConnection {
                console.info("The connection was lost; sending the request again")
            }
            show(attempt, [])
            showRequest()
        case .challenged(.proxy(let head)): showChallenge(head)
        case .informational(let head): showInformational(head)
        case .received(let response) where response.cacheStatus?.usesStoredResponse == true:
            console.info("Cache: \(response.cacheStatus?.description ?? "")")
            console.received(head: response.head.bytes)
        case .received(let response):
            show(response.metrics, response.proxyHeads)
            showRest(of: response.informational)
            let isShown = sent.withLock { sent in
                sent.isAnswered = true
                return sent.shownProxyHeads > response.proxyHeads.count
            }
            // The head of a challenge that the client cannot answer is shown already.
            if !isShown { show([response.head]) }
        case .failed(let error):
            show(error.metrics, error.proxyHeads)
            showRest(of: error.informational)
            if let head = error.head { show([head]) }
        case .redirected(let redirect):
            console.info("Issue another request to this URL: '\(redirect.location.text)'")
        default: break
        }
    }

    private func show(_ heads: some Sequence<ResponseHead>) {
        for head in heads { console.received(head: head.rawBytes) }
    }

    /// Shows a 1xx response at once, if its request is shown already.
    private func showInformational(_ head: ResponseHead) {
        let isNew = sent.withLock { sent in
            guard sent.shownAttempts > 0, !sent.isAnswered else { return false }
            sent.shownInformational += 1
            return true
        }
        if isNew { show([head]) }
    }

    private func showRest(of informational: [ResponseHead]) {
        show(informational.dropFirst(sent.withLock { $0.shownInformational }))
    }

    /// Shows a challenge of a forwarding proxy.
    ///
    /// Those to CONNECT are shown with the tunnel. A challenge to a client without credentials is the final response.
    private func showChallenge(_ head: ResponseHead) {
        let isNew = sent.withLock { sent in
            guard sent.shownAttempts > 0, !sent.isAnswered else { return false }
            sent.shownProxyHeads += 1
            return true
        }
        guard isNew else { return }
        show([head])
        console.info("The proxy requires credentials")
    }

    /// Shows the connection of the last exchange, after earlier attempts and the responses of proxies.
    private func show(_ metrics: HTTPMetrics, _ proxyHeads: [ResponseHead]) {
        let sent = sent.withLock { $0 }
        var proxyHeads = proxyHeads.dropFirst(sent.shownProxyHeads)
        let attempts = metrics.attempts
        let start = attempts.lastIndex {
            $0.reason != .lostConnection && $0.reason != .proxyChallenge
        }
        for attempt in attempts[(start ?? 0)...].dropFirst(sent.shownAttempts) {
            if attempt.connectionID != 0 {
                show(attempt, attempt.tunneled == nil ? [] : proxyHeads)
                if attempt.tunneled != nil { proxyHeads = [] }
                showRequest()
            }
            switch attempt.outcome {
            case .lost(let kind): console.info("\(kind); sending the request again")
            default: break
            }
        }
        show(proxyHeads)
    }

    private func showRequest() {
        let sent = sent.withLock { $0 }
        guard let head = sent.head else { return }
        let content = sent.body?.bytes ?? []
        console.sent(head: Self.text(head), content: content)
        if content.isEmpty, !console.dumps.isEmpty, sent.body.map({ $0.length != 0 }) == true {
            console.info("The content was streamed and is not shown")
        }
    }

    /// Shows how the connection to the server was opened.
    private func show(_ attempt: HTTPMetrics.Attempt, _ tunnelHeads: ArraySlice<ResponseHead>) {
        let number = "(#\(attempt.connectionID))"
        let place = "\(attempt.remoteAddress ?? "?") port \(attempt.remotePort ?? 0) \(number)"
        guard !attempt.isReused else { return console.info("Re-used the connection to \(place)") }
        console.info("Connected to \(place)")
        show(tunnelHeads)
        if let tls = attempt.tls { show(tls) }
    }

    /// Shows the result of a TLS handshake.
    private func show(_ tls: TLSSessionInfo) {
        let version = tls.version == .tls13 ? "TLSv1.3" : "TLSv1.2"
        let again = tls.isResumed ? ", session resumed" : ""
        console.info("SSL connection using \(version) / \(tls.cipher)\(again)")
        if let name = tls.applicationProtocol { console.info("ALPN: server accepted \(name)") }
        guard let own = tls.certificates.first else { return }
        console.info("Server certificate:")
        console.info(" subject: \(own.subject)")
        console.info(" start date: \(own.notBefore?.description ?? "?")")
        console.info(" expire date: \(own.notAfter?.description ?? "?")")
        console.info(" issuer: \(own.issuer)")
        console.info(" public key: \(own.publicKeyPin)")
        console.info(" SSL certificate verify \(tls.isVerified ? "ok." : "result: not checked.")")
    }

    /// Formats a head as it is sent.
    private static func text(_ head: RequestHead) -> [UInt8] {
        Array("\(head.method.rawValue) \(head.target.text) \(head.version)\r\n".utf8)
            + head.headers.bytes
    }
}
