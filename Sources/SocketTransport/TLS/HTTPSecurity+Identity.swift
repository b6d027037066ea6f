extension HTTPSecurity {
    /// A client certificate with its private key, for servers that ask for one (mTLS).
    ///
    /// Neither its description nor its mirror contains the key or the passphrase.
    public struct Identity: Sendable, Hashable {
        let content: TLSClientIdentity

        package init(_ content: TLSClientIdentity) {
            self.content = content
        }

        /// Creates an identity from a certificate chain and a key in memory.
        ///
        /// - Parameters:
        ///   - certificate: PEM with the client certificate first and then its issuers, or the
        ///     client certificate in DER.
        ///   - key: the key in PEM or DER; nil if the PEM of `certificate` contains it.
        ///   - passphrase: the passphrase of an encrypted key.
        /// - Returns: an identity. Errors in it are reported when it is used.
        public static func bytes(
            certificate: [UInt8],
            key: [UInt8]? = nil,
            passphrase: String? = nil
        ) -> Identity {
            Identity(
                .separate(
                    chain: .bytes(certificate),
                    key: .bytes(key ?? certificate),
                    passphrase: passphrase
                )
            )
        }

        /// Creates an identity from a certificate chain and a key in files.
        ///
        /// - Parameters:
        ///   - certificate: the path of a file, with the content that
        ///     ``bytes(certificate:key:passphrase:)`` takes.
        ///   - key: the path of the key file; nil if the certificate file contains the key.
        ///   - passphrase: the passphrase of an encrypted key.
        /// - Returns: an identity. Errors in it are reported when it is used.
        public static func files(
            certificate: String,
            key: String? = nil,
            passphrase: String? = nil
        ) -> Identity {
            Identity(
                .separate(
                    chain: .file(certificate),
                    key: .file(key ?? certificate),
                    passphrase: passphrase
                )
            )
        }

        /// Creates an identity from PKCS #12 data with certificate, issuers and key (RFC 7292).
        ///
        /// - Parameters:
        ///   - bytes: the DER.
        ///   - passphrase: the passphrase. Default: empty, as in files without a passphrase.
        /// - Returns: an identity. Errors in it are reported when it is used.
        public static func pkcs12(_ bytes: [UInt8], passphrase: String = "") -> Identity {
            Identity(.pkcs12(.bytes(bytes), passphrase: passphrase))
        }

        /// Creates an identity from a PKCS #12 file with certificate, issuers and key (RFC 7292).
        ///
        /// - Parameters:
        ///   - path: the path of a file, with the content that ``pkcs12(_:passphrase:)`` takes.
        ///   - passphrase: the passphrase. Default: empty.
        /// - Returns: an identity. Errors in it are reported when it is used.
        public static func pkcs12(file path: String, passphrase: String = "") -> Identity {
            Identity(.pkcs12(.file(path), passphrase: passphrase))
        }
    }
}

extension HTTPSecurity.Identity: CustomStringConvertible, CustomReflectable {
    /// The path of the file, if any; no secrets.
    public var description: String {
        switch content {
        case .separate(.file(let path), _, _), .pkcs12(.file(let path), _): "identity of \(path)"
        case .separate, .pkcs12: "identity in memory"
        }
    }

    /// An empty mirror, so that no secret is shown.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
