internal import SocketTransport

/// Holds what was received and not yet used, in one array that is reused.
///
/// Starts small, so that a thousand connections stay light, and grows when reads fill it or a head
/// does not fit; it never grows beyond `maximum`.
struct ReceiveBuffer {
    private var storage: [UInt8]
    private var start = 0
    private var end = 0
    private let maximum: Int

    static let initialCapacity = 8 << 10
    /// What arrays are made longer with, at a copy's speed.
    static let zeros = [UInt8](repeating: 0, count: 64 << 10)

    init(maximum: Int) {
        storage = Array(repeating: 0, count: Self.initialCapacity)
        self.maximum = max(maximum, Self.initialCapacity)
    }

    var count: Int { end - start }
    var isEmpty: Bool { start == end }

    /// Gives the unused bytes to `body`, which tells how it went.
    func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.span.extracting(start..<end))
    }

    /// Copies a part of the unused bytes; `range` counts from the first unused one.
    func append(_ range: Range<Int>, to output: inout [UInt8]) {
        output.append(contentsOf: storage[start + range.lowerBound..<start + range.upperBound])
    }

    /// Gives a copy of a part of the unused bytes.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        Array(storage[start + range.lowerBound..<start + range.upperBound])
    }

    /// Marks bytes as used.
    mutating func consume(_ count: Int) {
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Reads once from `stream` into the free space, making some when there is little.
    mutating func fill(from stream: any ByteStream) throws(TransportError) -> ReceiveOutcome {
        if end == storage.count { makeRoom() }
        let first = end
        // Every section that must lie here whole has a limit below `maximum`.
        guard first < storage.count else { throw .readFailed(.noBufferSpace) }
        var all = storage.mutableSpan
        var target = all._mutatingExtracting(first...)
        let outcome = try stream.receive(into: &target)
        if case .bytes(let count) = outcome {
            end += count
        }
        return outcome
    }

    /// True when a full buffer holds one unfinished element: nothing more can be read.
    var isFull: Bool { start == 0 && end == storage.count && storage.count >= maximum }

    private mutating func makeRoom() {
        if start > 0 {
            storage.replaceSubrange(0..<count, with: storage[start..<end])
            end -= start
            start = 0
        }
        if end > storage.count / 2, storage.count < maximum {
            let larger = min(storage.count * 4, maximum)
            while storage.count < larger {
                storage.append(contentsOf: Self.zeros.prefix(larger - storage.count))
            }
        }
    }
}
