private import CSSL
private import Glibc

/// Names where certificates or keys lie: in memory or in a file.
package enum TLSMaterial: Sendable, Hashable {
    case bytes([UInt8])
    /// Read when it is needed, by the process's own rights.
    case file(String)

    /// The path, or `given octets`: what an error calls it.
    var name: String {
        switch self {
        case .file(let path): path
        case .bytes: "given octets"
        }
    }

    /// Opens a BIO over the octets; the caller frees it.
    func open() throws(PEMFault) -> OpaquePointer {
        switch self {
        case .bytes(let bytes):
            // SAFETY: a memory BIO of its own is filled by copying, so it outlives `bytes`.
            guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw .outOfMemory }
            var written = 0
            let done = unsafe BIO_write_ex(bio, bytes, bytes.count, &written)
            guard done == 1 || bytes.isEmpty else {
                unsafe BIO_free_all(bio)
                throw .outOfMemory
            }
            return unsafe bio
        case .file(let path):
            guard !path.utf8.contains(0) else { throw .unreadable(Errno(rawValue: ENOENT)) }
            ERR_clear_error()
            guard let bio = unsafe BIO_new_file(path, "r") else {
                let errno = Errno.current
                ERR_clear_error()
                throw .unreadable(errno)
            }
            return unsafe bio
        }
    }

    /// Reads all of it.
    ///
    /// - Throws: `.unreadable`; `.undecodable` beyond 16 MiB, which no key or chain has.
    func contents() throws(PEMFault) -> [UInt8] {
        if case .bytes(let bytes) = self { return bytes }
        let bio = unsafe try open()
        // SAFETY: `bio` is ours until the defer frees it; `chunk` has room for what is asked for.
        defer { unsafe BIO_free_all(bio) }
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Int(unsafe BIO_read(bio, &chunk, Int32(chunk.count)))
            guard count > 0 else {
                ERR_clear_error()
                return result
            }
            result += chunk[..<count]
            guard result.count <= 16 << 20 else { throw .undecodable(reason: "too large") }
        }
    }

    /// Whether octets are DER and not PEM: a SEQUENCE whose length is no text.
    static func isDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[0] == 0x30 else { return false }
        return bytes[1] >= 0x80 || Int(bytes[1]) + 2 == bytes.count
    }
}
