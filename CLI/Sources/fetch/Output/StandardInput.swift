/// Gives what comes in on standard input, piece by piece.
struct StandardInput: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        mutating func next() async throws -> [UInt8]? {
            let piece = try SystemFile.readPiece(SystemFile.input)
            return piece.isEmpty ? nil : piece
        }
    }

    /// Whether `path` stands for standard input, as `--upload-file` has it.
    static func isNamed(_ path: String) -> Bool { path == "-" || path == "." }

    func makeAsyncIterator() -> Iterator { Iterator() }
}
