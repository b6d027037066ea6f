private import Glibc

/// Says where the secrets of connections are written, for programs that decrypt captures.
///
/// **Whoever reads the file can read everything sent.** The format is that of NSS
/// (draft-ietf-tls-keylogfile).
package enum TLSKeyLog: Sendable, Hashable {
    /// Appended to; made for its owner alone when there is none.
    ///
    /// It must be a regular file of the process's user with no other name: another user could have placed a
    /// symbolic link, a pipe, a file of theirs or a hard link there.
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
    static func open(_ log: TLSKeyLog) throws(TLSError) -> TLSKeyLogFile? {
        switch log {
        case .file(let path): return try TLSKeyLogFile(path)
        case .environment:
            guard let path = Environment.trustedVariable("SSLKEYLOGFILE") else { return nil }
            return try TLSKeyLogFile(path)
        }
    }

    private init(_ path: String) throws(TLSError) {
        let file: Descriptor
        do {
            file = try Syscalls.openForAppending(path)
        } catch {
            throw Self.error(path, error.description)
        }
        if let problem = Self.rejectionReason(of: file.rawValue) { throw Self.error(path, problem) }
        descriptor = file
    }

    /// Returns why secrets must not be written into an open file; nil when they may.
    private static func rejectionReason(of descriptor: Int32) -> String? {
        do {
            guard try Syscalls.fileSize(descriptor) != nil else {
                return "it is not a regular file"
            }
            guard try Syscalls.isOwnedByUser(descriptor) else {
                return "it belongs to another user"
            }
            guard try Syscalls.isRegularWithOneLink(descriptor) else {
                return "it has more than one link"
            }
            return nil
        } catch {
            return error.description
        }
    }

    private static func error(_ path: String, _ reason: String) -> TLSError {
        .badConfiguration(reason: "key log \(path): \(reason)")
    }

    /// Appends a line; in one call, so that lines of several processes do not mix.
    ///
    /// A full disk loses the line: a log must not end connections.
    func append(_ line: [UInt8]) {
        let whole = line + [0x0A]
        // SAFETY: the bytes live for the call.
        _ = unsafe write(descriptor.rawValue, whole, whole.count)
    }
}
