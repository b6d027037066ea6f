private import CSSL
private import Glibc

/// A source of certificates or keys: memory or a file.
package enum TLSMaterial: Sendable, Hashable {
    case bytes([UInt8])
    /// A file, read when needed, with the permissions of the process.
    case file(String)

    /// The path, or `bytes in memory`; used in errors.
    var name: String {
        switch self {
        case .file(let path): path
        case .bytes: "bytes in memory"
        }
    }

    /// Opens a BIO over the bytes; the caller frees it.
    ///
    /// OpenSSL never opens a file itself: it would do so without close-on-exec, and a program
    /// started at that moment would inherit the descriptor of a private key.
    func open() throws(PEMError) -> OpaquePointer {
        unsafe try Self.open(try contents())
    }

    /// Opens a BIO over a copy of `bytes`; the caller frees it.
    static func open(_ bytes: [UInt8]) throws(PEMError) -> OpaquePointer {
        // SAFETY: a memory BIO stores a copy, so it may outlive `bytes`.
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw .outOfMemory }
        var written = 0
        let done = unsafe BIO_write_ex(bio, bytes, bytes.count, &written)
        guard done == 1 || bytes.isEmpty else {
            unsafe BIO_free_all(bio)
            throw .outOfMemory
        }
        return unsafe bio
    }

    /// Reads all bytes, once.
    ///
    /// - Throws: `.unreadable`, also above 64 MiB, which no key, chain or bundle reaches.
    func contents() throws(PEMError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): return bytes
        case .file(let path):
            do {
                return try Syscalls.readAll(path, limit: 64 << 20)
            } catch {
                throw .unreadable(error)
            }
        }
    }

    /// Returns whether bytes are DER and not PEM: a SEQUENCE with a length that is not text.
    static func isDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[0] == 0x30 else { return false }
        return bytes[1] >= 0x80 || Int(bytes[1]) + 2 == bytes.count
    }
}

/// The passphrase callback for OpenSSL.
///
/// Always set a callback: without one, OpenSSL prompts on the terminal and blocks.
enum Passphrase {
    typealias Callback =
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) ->
        Int32

    /// Calls `read` with the two callback arguments that OpenSSL's reading functions take.
    ///
    /// - Parameters:
    ///   - passphrase: the passphrase; nil if there is none.
    ///   - read: must not retain the arguments.
    /// - Returns: the result of `read`.
    static func withCallback(
        _ passphrase: String?,
        to read: (Callback, UnsafeMutableRawPointer?) -> OpaquePointer?
    ) -> OpaquePointer? {
        guard let passphrase else { return unsafe read(PEM.refusePassword, nil) }
        var bytes = [UInt8](passphrase.utf8) + [0]
        // SAFETY: the bytes outlive the call and end with NUL. The callback copies at most `room`
        // of them, and fails rather than truncate a passphrase.
        return unsafe bytes.withUnsafeMutableBytes { region in
            unsafe read(
                { target, room, _, text in
                    guard let target = unsafe target, let text = unsafe text else { return -1 }
                    let count = unsafe strlen(text.assumingMemoryBound(to: CChar.self))
                    guard count <= Int(room) else { return -1 }
                    unsafe memcpy(target, text, count)
                    return Int32(count)
                },
                region.baseAddress
            )
        }
    }
}
