internal import SocketTransport
internal import Wire

/// A hash of a file that is written from its start to its end.
///
/// After a jump, it reads the bytes that the file already has.
final class FileVerifier {
    private let expected: HTTPDigest
    private var verifier: BodyVerifier
    /// The number of hashed bytes.
    private var position = 0

    init(_ expected: HTTPDigest) {
        self.expected = expected
        verifier = BodyVerifier([expected.algorithm])
    }

    func update(
        _ bytes: [UInt8],
        at offset: Int,
        of files: any DownloadFiles
    ) throws(Errno) {
        try catchUp(to: offset, of: files)
        verifier.update(bytes.span)
        position += bytes.count
    }

    /// Forgets the hash if it has bytes from `offset` on, because others are written there.
    func forget(from offset: Int) {
        if position > offset { restart() }
    }

    private func restart() {
        verifier = BodyVerifier([expected.algorithm])
        position = 0
    }

    /// Returns the difference of the first `size` bytes of the file; nil if there is none.
    func mismatch(
        at size: Int,
        of files: any DownloadFiles
    ) throws(Errno) -> HTTPError.Kind? {
        try catchUp(to: size, of: files)
        return verifier.mismatch(with: expected)
    }

    private func catchUp(to offset: Int, of files: any DownloadFiles) throws(Errno) {
        guard position != offset else { return }
        if position > offset { restart() }
        while position < offset {
            let piece = try files.read(min(offset - position, 256 << 10), at: position)
            guard !piece.isEmpty else { throw .invalid }
            verifier.update(piece.span)
            position += piece.count
        }
    }
}
