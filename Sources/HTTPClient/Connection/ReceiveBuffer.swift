internal import SocketTransport

/// A buffer of bytes that were received and not yet used, in one reused array.
///
/// It starts small, so that a thousand connections use little memory. It grows when reads fill it
/// or a head does not fit, but never beyond `maximum`.
///
/// Wire's `InputBuffer` is not used here. Callers keep responses, and a head that is read in place
/// keeps the whole buffer alive. For heads that are copied, an array saves 470 instructions per
/// request.
struct ReceiveBuffer {
    private var storage: [UInt8]
    private var start = 0
    private var end = 0
    private let maximum: Int

    static let initialCapacity = 8 << 10
    /// Zeros for extending arrays at the speed of a copy.
    static let zeros = [UInt8](repeating: 0, count: 64 << 10)

    init(maximum: Int) {
        storage = Array(repeating: 0, count: Self.initialCapacity)
        self.maximum = max(maximum, Self.initialCapacity)
    }

    var count: Int { end - start }
    var isEmpty: Bool { start == end }

    /// Calls `body` with the unused bytes, and returns its result.
    func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage.span.extracting(start..<end))
    }

    /// Appends a part of the unused bytes to `output`; `range` counts from the first unused byte.
    func append(_ range: Range<Int>, to output: inout [UInt8]) {
        output.append(contentsOf: storage[start + range.lowerBound..<start + range.upperBound])
    }

    /// Marks bytes as used.
    mutating func consume(_ count: Int) {
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Reads once, at most `limit` bytes, from `stream` into the free space; makes room if none is left.
    mutating func fill(
        from stream: any ByteStream,
        atMost limit: Int = .max
    ) throws(TransportError) -> ReceiveOutcome {
        if end == storage.count { makeRoom() }
        let first = end
        // Every section that must fit into the buffer has a limit below `maximum`.
        guard first < storage.count else { throw .readFailed(.noBufferSpace) }
        let last = first + min(storage.count - first, limit)
        var all = storage.mutableSpan
        var target = all._mutatingExtracting(first..<last)
        let outcome = try stream.receive(into: &target)
        if case .bytes(let count) = outcome {
            end += count
        }
        return outcome
    }

    /// Whether one unfinished element fills the buffer, so that no more can be read.
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
