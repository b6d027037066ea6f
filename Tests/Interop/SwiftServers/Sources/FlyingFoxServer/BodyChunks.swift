internal import FlyingSocks

/// The body of `/stream`, one line at a time and without a length, so that the server sends chunks.
struct BodyChunks: AsyncBufferedSequence {
    typealias Element = UInt8

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        private var number = 0
        private var rest: ArraySlice<UInt8> = []

        mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
            if rest.isEmpty, number < 100 {
                let dots = String(repeating: ".", count: number)
                rest = Array("piece \(number)\(dots)\n".utf8)[...]
                number += 1
            }
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
