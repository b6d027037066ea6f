/// Gives what comes in on standard input, piece by piece.
struct StandardInput: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        mutating func next() async throws -> [UInt8]? {
            let piece = try SystemFile.readPiece(SystemFile.input)
            return piece.isEmpty ? nil : piece
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator() }
}
