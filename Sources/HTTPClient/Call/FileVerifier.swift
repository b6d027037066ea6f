internal import SocketTransport
internal import Wire

/// A hash of a file that is written from its start to its end.
///
/// After a jump, it reads the bytes that the file already has.
package final class FileVerifier {
    /// The maximum number of bytes that one call of ``update(_:at:of:)`` reads.
    ///
    /// 4 MiB: the other connections of a download in parts wait meanwhile, for some milliseconds.
    package static let maxRead = 4 << 20

    private let expected: HTTPDigest
    private var verifier: BodyVerifier
    /// The number of hashed bytes.
    private var position = 0

    init(_ expected: HTTPDigest) {
        self.expected = expected
        verifier = BodyVerifier([expected.algorithm])
    }

    /// Hashes bytes that are about to be written, if all before them are hashed.
    ///
    /// Otherwise it reads some of those before them. The bytes are read later, too.
    func update(
        _ bytes: [UInt8],
        at offset: Int,
        of files: any DownloadFiles
    ) throws(Errno) {
        try catchUp(to: offset, atMost: Self.maxRead, of: files)
        guard position == offset else { return }
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
        try catchUp(to: size, atMost: .max, of: files)
        return verifier.mismatch(with: expected)
    }

    private func catchUp(
        to offset: Int,
        atMost limit: Int,
        of files: any DownloadFiles
    ) throws(Errno) {
        guard position != offset else { return }
        if position > offset { restart() }
        var left = limit
        while position < offset, left > 0 {
            let count = min(offset - position, left, 256 << 10)
            let piece = try files.read(count, at: position)
            guard !piece.isEmpty else { throw .invalid }
            verifier.update(piece.span)
            position += piece.count
            left -= piece.count
        }
    }
}
