internal import SocketTransport
internal import Wire

/// The content of an entry, or a part of it, as a streamed response delivers it.
package final class CachedBody: StoredBody {
    private let content: CacheContent
    private let position: Locked<Int>
    private let isReading = Locked(false)
    private let end: Int
    package let count: Int

    /// The maximum number of bytes of a piece, as of a body that is received.
    private static let maxPiece = 512 << 10
    /// The maximum number of bytes of an extent, so that a large download shows its progress and can be canceled.
    private static let maxExtent = 16 << 20

    package init(_ content: CacheContent, _ range: Range<Int>) {
        self.content = content
        position = Locked(range.lowerBound)
        end = range.upperBound
        count = range.count
    }

    package var mayBlock: Bool {
        if case .memory = content { false } else { true }
    }

    /// Returns false if another task reads the body now.
    private func beginRead() -> Bool {
        isReading.withLock { reading in
            defer { reading = true }
            return !reading
        }
    }

    package func next() throws(HTTPError) -> [UInt8] {
        guard beginRead() else {
            throw HTTPError(.invalidRequest(.overlappingRead), phase: .body)
        }
        defer { isReading.withLock { $0 = false } }
        let start = position.withLock { $0 }
        guard start < end else { return [] }
        let bytes: [UInt8]
        switch content {
        case .memory(let all):
            let stop = min(end, start + Self.maxPiece)
            bytes = start == 0 && stop == all.count ? all : Array(all[start..<stop])
        case .file, .object:
            do throws(CacheStoreError) {
                bytes = Array(try content.read(at: start).prefix(end - start))
            } catch {
                throw HTTPError(
                    .fileFailed(path: error.path, .read, reason: error.description),
                    phase: .body
                )
            }
        }
        position.withLock { $0 = start + bytes.count }
        return bytes
    }

    package func nextExtent() -> FileExtent? {
        // The whole file was verified when it was opened (``HTTPCache/content(of:)``). During a read, the caller calls
        // `next()` after this, which refuses.
        guard case .file(let file) = content, beginRead() else { return nil }
        defer { isReading.withLock { $0 = false } }
        return position.withLock { position -> FileExtent? in
            guard position < end else { return nil }
            let count = min(end - position, Self.maxExtent)
            defer { position += count }
            return FileExtent(
                file.file,
                path: file.path,
                at: file.offset + position,
                count: count
            )
        }
    }
}
