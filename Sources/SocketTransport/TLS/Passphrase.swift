private import CSSL
private import Glibc

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
