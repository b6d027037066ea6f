private import Glibc

/// Says where the secrets of connections are written, for programs that decrypt captures.
///
/// **Whoever reads the file can read everything sent.** The format is that of NSS
/// (draft-ietf-tls-keylogfile).
package enum TLSKeyLog: Sendable, Hashable {
    /// Appended to; made for its owner alone when there is none.
    ///
    /// It must be a regular file: a symbolic link or a pipe is refused, as another user could have placed
    /// it there.
    case file(String)
    /// The file that `SSLKEYLOGFILE` names; nothing is written when it names none, or in a program that
    /// runs with more rights than its user.
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
            guard let path = Environment.trustedVariable("SSLKEYLOGFILE") else { return nil }
            return try TLSKeyLogFile(path)
        }
    }

    private init(_ path: String) throws(TLSFailure) {
        do throws(Errno) {
            let file = try Syscalls.openForAppending(path)
            guard try Syscalls.fileSize(file.rawValue) != nil else { throw .invalid }
            descriptor = file
        } catch .invalid {
            throw .badConfiguration(reason: "key log \(path): it is not a regular file")
        } catch {
            throw .badConfiguration(reason: "key log \(path): \(error)")
        }
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
