private import Glibc

/// A writer of lines to a key log, in the format of NSS (draft-ietf-tls-keylogfile).
final class TLSKeyLogFile: Sendable {
    private let descriptor: Descriptor

    /// Opens the file of `log`; returns nil if the environment names none.
    ///
    /// - Throws: `.settings` if it cannot be opened.
    static func open(_ log: HTTPSecurity.KeyLog) throws(TLSError) -> TLSKeyLogFile? {
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
        if let reason = Self.rejectionReason(of: file.rawValue) { throw Self.error(path, reason) }
        descriptor = file
    }

    /// Returns the reason why secrets must not be written to an open file; nil if they may.
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
        .failed(.settings(reason: "key log \(path): \(reason)"))
    }

    /// Appends a line in one call, so that lines of several processes do not mix.
    ///
    /// A line is lost if the disk is full, because a log must not end connections.
    func append(_ line: [UInt8]) {
        let whole = line + [0x0A]
        // SAFETY: the bytes outlive the call.
        _ = unsafe write(descriptor.rawValue, whole, whole.count)
    }
}
