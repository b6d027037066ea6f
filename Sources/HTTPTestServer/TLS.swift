package import SocketTransport

extension HTTPTestServer {
    /// The TLS setting of a server, with its certificate.
    ///
    /// Certificates are created on demand (ECDSA P-256, under 1 ms). They are issued by the
    /// server's own authority, ``HTTPTestServer/certificateAuthorityPEM``. No files are read or
    /// written.
    public struct TLS: Sendable, Hashable {
        private enum Certificate: Sendable, Hashable {
            case none
            case valid(names: [String])
            case expired(names: [String])
            case custom(Options)
        }

        /// The server's certificate and requirements, for tests of this package.
        package struct Options: Sendable, Hashable {
            package var identity: IssuedCertificate
            package var versions: ClosedRange<HTTPSecurity.Version> = .tls12 ... .tls13
            /// The authorities of the clients that are served; nil requests no client certificate.
            package var clientTrust: HTTPSecurity.Trust?

            package init(_ identity: IssuedCertificate) {
                self.identity = identity
            }
        }

        /// Returns a setting with these options.
        ///
        /// The property ``HTTPTestServer/certificateAuthorityPEM`` is then empty.
        package static func custom(_ options: Options) -> TLS {
            TLS(certificate: .custom(options))
        }

        struct Credentials {
            let context: TLSContext
            let authority: [UInt8]
        }

        private let certificate: Certificate

        /// Plain HTTP.
        public static let off = TLS(certificate: .none)

        /// A valid certificate for `localhost`, `127.0.0.1` and `::1`.
        public static let selfIssued = TLS(certificate: .valid(names: loopback))

        /// Returns a setting with a valid certificate for other names.
        ///
        /// Use it to test that a client rejects the server.
        ///
        /// - Parameter names: DNS names, including wildcards, and address literals.
        /// - Returns: a setting for ``HTTPTestServer/start(tls:_:)``.
        public static func selfIssued(for names: [String]) -> TLS {
            TLS(certificate: .valid(names: names))
        }

        /// A certificate for the loopback names that expired a day ago.
        public static let expired = TLS(certificate: .expired(names: loopback))

        /// Creates the authority and the certificate; returns nil for plain HTTP.
        func credentials() throws(TLSError) -> Credentials? {
            let template: CertificateTemplate
            switch certificate {
            case .none:
                return nil
            case .custom(let options):
                let context = try TLSContext(
                    server: options.identity,
                    minimumVersion: options.versions.lowerBound,
                    maximumVersion: options.versions.upperBound,
                    clientTrust: options.clientTrust
                )
                return Credentials(context: context, authority: [])
            case .valid(let names):
                template = CertificateTemplate(names: names, commonName: "HTTPTestServer")
            case .expired(let names):
                template = CertificateTemplate(
                    names: names,
                    commonName: "HTTPTestServer",
                    notBefore: -30 * 86_400,
                    notAfter: -86_400
                )
            }
            let authority = try CertificateAuthority(commonName: "HTTPTestServer authority")
            let identity = try authority.issue(template)
            return Credentials(
                context: try TLSContext(server: identity),
                authority: authority.certificate
            )
        }

        private static let loopback = ["localhost", "127.0.0.1", "::1"]
    }
}
