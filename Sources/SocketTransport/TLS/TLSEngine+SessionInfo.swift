private import CSSL

extension TLSEngine {
    /// The values negotiated so far; created at each access, so read it once per connection.
    package var sessionInfo: TLSSessionInfo {
        // SAFETY: `ssl` is alive (INVARIANT of the class); the texts are constants of OpenSSL.
        let cipher = unsafe SSL_get_current_cipher(ssl)
        let version = unsafe SSL_version(ssl)
        return TLSSessionInfo(
            version: [.tls12, .tls13].first { $0.number == version },
            cipher: unsafe cipher.map { unsafe Self.text(SSL_CIPHER_standard_name($0)) } ?? "",
            applicationProtocol: applicationProtocol,
            isResumed: unsafe SSL_session_reused(ssl) == 1,
            serverName: peerName.flatMap { $0.kind == .name ? $0.text : nil },
            peer: peer
        )
    }

    /// The negotiated ALPN name; nil if there is none.
    package var applicationProtocol: String? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        // SAFETY: the name belongs to `ssl` and is copied at once.
        unsafe SSL_get0_alpn_selected(ssl, &start, &count)
        guard count > 0, let start = unsafe start else { return nil }
        return unsafe String(
            decoding: unsafe UnsafeBufferPointer(start: start, count: Int(count)),
            as: UTF8.self
        )
    }

    /// The name that a client requested in SNI; server side only.
    package var requestedServerName: String? {
        // SAFETY: the name belongs to `ssl` and is copied at once.
        unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map {
            unsafe String(cString: $0)
        }
    }

    /// The peer's public key; nil if it sent no certificate.
    ///
    /// The form is a DER SubjectPublicKeyInfo, the input of pins (RFC 7469 §2.4).
    package var peerPublicKey: [UInt8]? {
        // SAFETY: the certificate and its key belong to `ssl`.
        guard let certificate = unsafe SSL_get0_peer_certificate(ssl),
            let key = unsafe X509_get_X509_PUBKEY(certificate)
        else { return nil }
        return unsafe DER.encode { unsafe i2d_X509_PUBKEY(key, $0) }
    }

    /// The certificates that the peer sent, in DER, its own first.
    package var peerChain: [[UInt8]] {
        // SAFETY: the chain and its certificates belong to `ssl`. On a server it does not contain
        // the client's own certificate, so that one is always read separately.
        var chain: [[UInt8]] = []
        if let own = unsafe SSL_get0_peer_certificate(ssl),
            let der = unsafe DER.encode({ unsafe i2d_X509(own, $0) })
        {
            chain.append(der)
        }
        guard let stack = unsafe SSL_get_peer_cert_chain(ssl) else { return chain }
        let first: Int32 = peerName == nil ? 0 : 1
        for index in stride(from: first, to: unsafe OPENSSL_sk_num(stack), by: 1) {
            guard let element = unsafe OPENSSL_sk_value(stack, index) else { continue }
            let certificate = OpaquePointer(element)
            if let der = unsafe DER.encode({ unsafe i2d_X509(certificate, $0) }) {
                chain.append(der)
            }
        }
        return chain
    }

    private static func text(_ constant: UnsafePointer<CChar>?) -> String {
        // SAFETY: the callers pass constant, NUL-terminated texts of OpenSSL.
        guard let constant = unsafe constant else { return "" }
        return unsafe String(cString: constant)
    }
}
