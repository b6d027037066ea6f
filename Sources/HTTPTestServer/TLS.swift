package import SocketTransport

extension HTTPTestServer {
    /// Says whether a server speaks TLS, and with which certificate.
    ///
    /// Certificates are made on the spot (ECDSA P-256, under 1 ms) and issued by an authority of
    /// the server's own, ``HTTPTestServer/certificateAuthorityPEM``. Nothing is read from or
    /// written to disk.
    public struct TLS: Sendable, Hashable {
        private enum Certificate: Sendable, Hashable {
            case none
            case valid(names: [String])
            case expired(names: [String])
            case custom(Options)
        }

        /// Holds what a server is to show and ask for, for tests of this package.
        package struct Options: Sendable, Hashable {
            package var identity: TLSConfiguration.Identity
            package var versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
            /// Whose clients are served; nil asks for no certificate.
            package var clientTrust: TLSConfiguration.Trust?

            package init(_ identity: TLSConfiguration.Identity) {
                self.identity = identity
            }
        }

        /// Shows and asks for what is given; ``HTTPTestServer/certificateAuthorityPEM`` is empty.
        package static func custom(_ options: Options) -> TLS {
            TLS(certificate: .custom(options))
        }

        struct Credentials {
            let context: TLSContext
            let authority: [UInt8]
        }

        private let certificate: Certificate

        /// Plain http.
        public static let off = TLS(certificate: .none)

        /// A valid certificate for `localhost`, `127.0.0.1` and `::1`.
        public static let selfIssued = TLS(certificate: .valid(names: loopback))

        /// A valid certificate for other names, to see a client refuse it.
        ///
        /// - Parameter names: DNS names, wildcards included, and address literals.
        /// - Returns: a setting for ``HTTPTestServer/start(tls:_:)``.
        public static func selfIssued(for names: [String]) -> TLS {
            TLS(certificate: .valid(names: names))
        }

        /// A certificate for the loopback names that ended a day ago.
        public static let expired = TLS(certificate: .expired(names: loopback))

        /// Makes authority and certificate; nil for plain http.
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
