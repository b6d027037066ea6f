private import Glibc

/// Says where the secrets of connections are written, for programs that decrypt captures.
///
/// **Whoever reads the file can read everything sent.** The format is that of NSS
/// (draft-ietf-tls-keylogfile).
package enum TLSKeyLog: Sendable, Hashable {
    /// Appended to; made for its owner alone when there is none.
    case file(String)
    /// The file that `SSLKEYLOGFILE` names; nothing is written when it names none.
    case environment
}

/// Appends lines to a key log.
final class TLSKeyLogFile: Sendable {
    private let descriptor: Descriptor

    /// Opens the file that `log` means; nil when the environment names none.
    ///
    /// - Throws: `.badConfiguration` when it cannot be opened.
    static func open(_ log: TLSKeyLog) throws(TLSFailure) -> TLSKeyLogFile? {
        switch log {
        case .file(let path): return try TLSKeyLogFile(path)
        case .environment:
            // SAFETY: the text is copied at once; Swift code of this package never calls setenv.
            guard let text = unsafe getenv("SSLKEYLOGFILE") else { return nil }
            let path = unsafe String(cString: text)
            return path.isEmpty ? nil : try TLSKeyLogFile(path)
        }
    }

    private init(_ path: String) throws(TLSFailure) {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
        // SAFETY: the text lives for the call.
        let number = path.utf8.contains(0) ? -1 : unsafe Glibc.open(path, flags, 0o600)
        guard number >= 0 else {
            throw .badConfiguration(reason: "key log \(path): \(Errno.current)")
        }
        descriptor = Descriptor(owning: number)
    }

    /// Appends a line; in one call, so that lines of several processes do not mix.
    ///
    /// A full disk loses the line: a log must not end connections.
    func append(_ line: [UInt8]) {
        let whole = line + [0x0A]
        // SAFETY: the octets live for the call.
        _ = unsafe write(descriptor.rawValue, whole, whole.count)
    }
}
