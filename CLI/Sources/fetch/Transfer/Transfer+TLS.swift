internal import HTTPClient

extension Transfer {
    /// Shows what a handshake settled, for `--verbose`.
    func showTLS(_ metrics: HTTPMetrics) {
        guard let tls = metrics.tls, !metrics.isReused else { return }
        let version = tls.version == .tls13 ? "TLSv1.3" : "TLSv1.2"
        let again = tls.isResumed ? ", session resumed" : ""
        console.fact("SSL connection using \(version) / \(tls.cipher)\(again)")
        if let name = tls.applicationProtocol { console.fact("ALPN: server accepted \(name)") }
        guard let own = tls.certificates.first else { return }
        console.fact("Server certificate:")
        console.fact(" subject: \(own.subject)")
        console.fact(" start date: \(own.notBefore?.description ?? "?")")
        console.fact(" expire date: \(own.notAfter?.description ?? "?")")
        console.fact(" issuer: \(own.issuer)")
        console.fact(" public key: \(own.publicKeyPin)")
        console.fact(" SSL certificate verify \(tls.isVerified ? "ok." : "result: not checked.")")
    }
}
