internal import Synchronization

/// Gives what comes in on standard input, piece by piece.
struct StandardInput: AsyncSequence, Sendable {
    /// Keeps what was read, so that it can be sent again: up to 64 MiB.
    final class Store: Sendable {
        fileprivate struct Content {
            var pieces: [[UInt8]] = []
            var bytes = 0
            /// How many pieces were read; more than are kept when they were too many bytes.
            var count = 0
        }

        fileprivate static let maxBytes = 64 << 20
        fileprivate let content = Mutex(Content())
    }

    /// Is thrown when it is to be sent again and is not there any more.
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

        /// Reads under the lock: whoever sends it again waits for what was begun to be read before.
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

    /// Makes the sequence; opens nothing.
    ///
    /// - Parameter store: shared by all that give the same bytes; nil when they are sent once.
    init(storedIn store: Store? = nil) {
        self.store = store
    }

    /// Whether `path` stands for standard input, as `--upload-file` has it.
    static func isNamed(_ path: String) -> Bool { path == "-" || path == "." }

    func makeAsyncIterator() -> Iterator { Iterator(store) }
}
