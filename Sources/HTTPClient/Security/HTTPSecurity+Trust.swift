extension HTTPSecurity {
    /// Says which certificate authorities are trusted: those named, and no others.
    ///
    ///     .system
    ///     .file("/etc/ssl/company.pem")                  // instead of the system's
    ///     .system.adding(.file("/etc/ssl/company.pem"))  // added to them
    ///
    /// A certificate that you name yourself need not be a root: a chain may end in it whatever it
    /// is, the server's own included.
    public struct Trust: Sendable, Hashable {
        enum Source: Sendable, Hashable {
            case bytes([UInt8])
            case file(String)
            case directory(String)
        }

        let includesSystem: Bool
        let sources: [Source]

        private init(includesSystem: Bool, sources: [Source]) {
            self.includesSystem = includesSystem
            self.sources = sources
        }

        /// The system's, read once in a process when the first connection needs it.
        ///
        /// The file and the directories that SSL_CERT_FILE and SSL_CERT_DIR name; without them the
        /// bundle of Debian, Fedora, openSUSE or Alpine.
        public static let system = Trust(includesSystem: true, sources: [])

        /// The certificates of a file, PEM or DER.
        public static func file(_ path: String) -> Trust {
            Trust(includesSystem: false, sources: [.file(path)])
        }

        /// The certificates of a directory whose files are named by the hashes of their subjects, as
        /// `openssl rehash` makes it; each is read when it is first needed.
        public static func directory(_ path: String) -> Trust {
            Trust(includesSystem: false, sources: [.directory(path)])
        }

        /// The certificates of PEM text.
        public static func pem(_ text: [UInt8]) -> Trust {
            Trust(includesSystem: false, sources: [.bytes(text)])
        }

        /// Certificates in DER.
        public static func der(_ certificates: [[UInt8]]) -> Trust {
            Trust(includesSystem: false, sources: certificates.map { .bytes($0) })
        }

        /// These and others.
        public func adding(_ others: Trust) -> Trust {
            Trust(
                includesSystem: includesSystem || others.includesSystem,
                sources: sources + others.sources
            )
        }
    }
}
