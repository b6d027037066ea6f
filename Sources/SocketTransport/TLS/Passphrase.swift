private import CSSL
private import Glibc

/// Answers the library's question for a passphrase.
///
/// Never leave the question to the library: it would ask on the terminal and block.
enum Passphrase {
    typealias Callback =
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) ->
        Int32

    /// Lends the two arguments that a reading function takes for its question.
    ///
    /// - Parameters:
    ///   - passphrase: what to answer; nil answers that there is none.
    ///   - read: must not keep the arguments.
    /// - Returns: what `read` returned.
    static func withCallback(
        _ passphrase: String?,
        to read: (Callback, UnsafeMutableRawPointer?) -> OpaquePointer?
    ) -> OpaquePointer? {
        guard let passphrase else { return unsafe read(PEM.refusePassword, nil) }
        var bytes = [UInt8](passphrase.utf8) + [0]
        // SAFETY: the bytes live for the call and end with NUL; the callback copies at most `room`
        // of them, and refuses rather than cut a passphrase short.
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
