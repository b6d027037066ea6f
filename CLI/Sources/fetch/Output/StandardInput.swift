internal import Synchronization

/// The bytes of standard input, in pieces.
struct StandardInput: AsyncSequence, Sendable {
    /// A store for the bytes that were read, up to 64 MiB, so that they can be sent again.
    final class Store: Sendable {
        fileprivate struct Content {
            var pieces: [[UInt8]] = []
            var bytes = 0
            /// The number of pieces read.
            ///
            /// It exceeds the pieces kept when they were over the limit.
            var count = 0
        }

        fileprivate static let maxBytes = 64 << 20
        fileprivate let content = Mutex(Content())
    }

    /// The error when the bytes are needed again and were not kept.
    struct NoLongerAvailableError: Error {}

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let store: Store?
        private var index = 0

        fileprivate init(_ store: Store?) {
            self.store = store
        }

        mutating func next() async throws -> [UInt8]? {
            defer { index += 1 }
            let piece = try read()
            return piece.isEmpty ? nil : piece
        }

        /// Reads under the lock, so that a second reader waits for a read in progress.
        private func read() throws -> [UInt8] {
            guard let store else { return try SystemFile.readPiece(SystemFile.input) }
            return try store.content.withLock { content in
                if index < content.pieces.count { return content.pieces[index] }
                guard index == content.count else { throw NoLongerAvailableError() }
                let piece = try SystemFile.readPiece(SystemFile.input)
                content.count += 1
                content.bytes += piece.count
                if content.bytes > Store.maxBytes {
                    content.pieces = []
                } else {
                    content.pieces.append(piece)
                }
                return piece
            }
        }
    }

    private let store: Store?

    /// Creates the sequence without reading.
    ///
    /// - Parameter store: shared by all sequences that yield the same bytes; nil when they are sent
    ///   only once.
    init(storedIn store: Store? = nil) {
        self.store = store
    }

    /// Whether `path` stands for standard input in `--upload-file`.
    static func isNamed(_ path: String) -> Bool { path == "-" || path == "." }

    func makeAsyncIterator() -> Iterator { Iterator(store) }
}
