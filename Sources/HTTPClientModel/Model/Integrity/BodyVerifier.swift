internal import SocketTransport
internal import Wire

/// A hash of a body that arrives in parts, by one or both algorithms.
///
/// A class, because a value that cannot be copied cannot be a local variable of an async function.
/// One task at a time may use it.
package final class BodyVerifier {
    private var sha256: StreamingHash?
    private var sha512: StreamingHash?

    /// Creates a verifier for the digests of some algorithms.
    package init(_ algorithms: [HTTPDigest.Algorithm]) {
        if algorithms.contains(.sha256) { sha256 = StreamingHash(.sha256) }
        if algorithms.contains(.sha512) { sha512 = StreamingHash(.sha512) }
    }

    /// Adds bytes of the body.
    package func update(_ bytes: Span<UInt8>) {
        sha256?.update(bytes)
        sha512?.update(bytes)
    }

    /// Returns the digest of the bytes so far; more bytes may follow.
    ///
    /// - Returns: nil for an algorithm that the verifier does not have, or if OpenSSL failed.
    package func digest(_ algorithm: HTTPDigest.Algorithm) -> HTTPDigest? {
        let bytes: [UInt8]?
        switch algorithm {
        case .sha256: bytes = sha256?.peek()
        case .sha512: bytes = sha512?.peek()
        }
        return bytes.map { HTTPDigest(trusted: algorithm, $0) }
    }

    /// Compares the bytes so far with a digest.
    ///
    /// - Returns: nil if they match; otherwise `.digestMismatch`, or `.systemFailure` if OpenSSL does
    ///   not provide the algorithm.
    package func mismatch(with expected: HTTPDigest) -> HTTPError.Kind? {
        guard let received = digest(expected.algorithm) else {
            return .systemFailure(reason: expected.algorithm.missing)
        }
        return received == expected
            ? nil : .digestMismatch(expected: expected, received: received)
    }
}
