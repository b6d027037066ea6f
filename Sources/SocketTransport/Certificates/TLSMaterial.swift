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

    /// Reads a key with the two callback arguments that OpenSSL's reading functions take.
    ///
    /// - Parameters:
    ///   - passphrase: the passphrase; nil if there is none.
    ///   - read: must not retain the arguments; returns nil if the key cannot be read.
    /// - Returns: the key, which the caller owns.
    /// - Throws: a reason in words, also if the passphrase is missing or wrong.
    static func readKey(
        _ passphrase: String?,
        with read: (Callback, UnsafeMutableRawPointer?) -> OpaquePointer?
    ) throws(PEMError) -> OpaquePointer {
        var argument = Argument(passphrase: passphrase.map { Array($0.utf8) })
        ERR_clear_error()
        // SAFETY: the argument outlives the call. The callback copies at most `room` bytes of the
        // passphrase, and fails rather than truncate it.
        let key = unsafe withUnsafeMutablePointer(to: &argument) { argument in
            unsafe read(
                { target, room, _, argument in
                    guard let target = unsafe target,
                        let argument = unsafe argument?.assumingMemoryBound(to: Argument.self)
                    else { return -1 }
                    unsafe argument.pointee.isNeeded = true
                    guard let passphrase = unsafe argument.pointee.passphrase,
                        passphrase.count <= Int(room)
                    else { return -1 }
                    for (index, byte) in passphrase.enumerated() {
                        unsafe target[index] = CChar(bitPattern: byte)
                    }
                    return Int32(passphrase.count)
                },
                argument
            )
        }
        if let key = unsafe key { return unsafe key }
        let reason = OpenSSLError.pop().reason
        guard argument.isNeeded else { throw .undecodable(reason: reason) }
        throw .undecodable(
            reason: passphrase == nil
                ? "the key is encrypted: pass its passphrase"
                : "the passphrase does not decrypt the key: \(reason)"
        )
    }

    /// The argument of the callback.
    private struct Argument {
        let passphrase: [UInt8]?
        /// Whether OpenSSL called the callback, because the key is encrypted.
        var isNeeded = false
    }
}
