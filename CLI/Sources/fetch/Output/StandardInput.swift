internal import Synchronization

/// Gives what comes in on standard input, piece by piece.
struct StandardInput: AsyncSequence, Sendable {
    /// Keeps what was read, so that it can be sent again.
    final class Store: Sendable {
        fileprivate let pieces = Mutex<[[UInt8]]>([])
    }

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
            return try store.pieces.withLock { pieces in
                if index < pieces.count { return pieces[index] }
                let piece = try SystemFile.readPiece(SystemFile.input)
                pieces.append(piece)
                return piece
            }
        }
    }

    private let store: Store?

    /// Makes the sequence; opens nothing.
    ///
    /// - Parameter store: shared by all that give the same octets; nil when they are sent once.
    init(keptIn store: Store? = nil) {
        self.store = store
    }

    /// Whether `path` stands for standard input, as `--upload-file` has it.
    static func isNamed(_ path: String) -> Bool { path == "-" || path == "." }

    func makeAsyncIterator() -> Iterator { Iterator(store) }
}
