extension HTTPSecurity {
    /// Holds a certificate that says who we are, and its key, for servers that ask.
    ///
    /// Neither text nor mirror of it shows a key or a passphrase.
    public struct Identity: Sendable, Hashable {
        enum Material: Sendable, Hashable {
            case bytes([UInt8])
            case file(String)
        }

        enum Content: Sendable, Hashable {
            case separate(certificate: Material, key: Material, passphrase: String?)
            case pkcs12(Material, passphrase: String)
        }

        let content: Content

        private init(content: Content) {
            self.content = content
        }

        /// A chain and a key in memory.
        ///
        /// - Parameters:
        ///   - certificate: PEM with our own certificate first, then its issuers, or our own in DER.
        ///   - key: PEM or DER; nil when it stands in the same PEM text.
        ///   - passphrase: opens an encrypted key.
        /// - Returns: an identity; what is wrong with it is said when it is used.
        public static func bytes(
            certificate: [UInt8],
            key: [UInt8]? = nil,
            passphrase: String? = nil
        ) -> Identity {
            let content = Content.separate(
                certificate: .bytes(certificate),
                key: .bytes(key ?? certificate),
                passphrase: passphrase
            )
            return Identity(content: content)
        }

        /// A chain and a key in files.
        ///
        /// - Parameters:
        ///   - certificate: a file as ``bytes(certificate:key:passphrase:)`` takes its bytes.
        ///   - key: a file; nil when the key stands in the same file.
        ///   - passphrase: opens an encrypted key.
        /// - Returns: an identity; what is wrong with it is said when it is used.
        public static func files(
            certificate: String,
            key: String? = nil,
            passphrase: String? = nil
        ) -> Identity {
            let content = Content.separate(
                certificate: .file(certificate),
                key: .file(key ?? certificate),
                passphrase: passphrase
            )
            return Identity(content: content)
        }

        /// Certificate, issuers and key in one (RFC 7292), in memory.
        ///
        /// - Parameters:
        ///   - bytes: DER.
        ///   - passphrase: default the empty one, as such files without a passphrase have.
        /// - Returns: an identity; what is wrong with it is said when it is used.
        public static func pkcs12(_ bytes: [UInt8], passphrase: String = "") -> Identity {
            Identity(content: .pkcs12(.bytes(bytes), passphrase: passphrase))
        }

        /// Certificate, issuers and key in one (RFC 7292), in a file.
        ///
        /// - Parameters:
        ///   - path: a file as ``pkcs12(_:passphrase:)`` takes its bytes.
        ///   - passphrase: default the empty one.
        /// - Returns: an identity; what is wrong with it is said when it is used.
        public static func pkcs12(file path: String, passphrase: String = "") -> Identity {
            Identity(content: .pkcs12(.file(path), passphrase: passphrase))
        }
    }
}

extension HTTPSecurity.Identity: CustomStringConvertible, CustomReflectable {
    /// Names the file, if there is one.
    public var description: String {
        switch content {
        case .separate(.file(let path), _, _), .pkcs12(.file(let path), _): "identity of \(path)"
        case .separate, .pkcs12: "identity in memory"
        }
    }

    /// Shows nothing that is secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
