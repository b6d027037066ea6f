internal import Wire

/// Holds one input of the fuzzer: choices at the front, bytes of a message behind them.
///
/// The choices come first so that the fuzzer can change the message without changing what is asked
/// of it.
package struct FuzzInput {
    /// What was not taken yet.
    package private(set) var rest: ArraySlice<UInt8>

    /// Holds those bytes.
    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Copies what libFuzzer lends.
    @unsafe package init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        self.init(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    }

    /// The bytes not taken yet.
    package var bytes: [UInt8] { Array(rest) }

    /// The bytes not taken yet as text, what is no UTF-8 replaced.
    package var text: String { String(decoding: rest, as: UTF8.self) }

    /// Takes a byte; 0 when there is none.
    package mutating func byte() -> Int {
        rest.popFirst().map { Int($0) } ?? 0
    }

    /// Takes one of the options.
    package mutating func pick<Option>(_ options: [Option]) -> Option {
        options[byte() % options.count]
    }
}

/// Feeds bytes as a connection would: what was not consumed is shown again, with more behind it.
///
/// So many bytes come at a time. `read` takes what is there, says how many of them it is finished
/// with and whether it is done, and is called again at once when it consumed something. The answer
/// is the number of bytes consumed.
func feed<Failure: Error>(
    _ bytes: [UInt8],
    size: Int,
    _ read: (Span<UInt8>) throws(Failure) -> (consumed: Int, isDone: Bool)
) throws(Failure) -> Int {
    var (start, end) = (0, 0)
    while true {
        let step = try read(bytes.span.extracting(start..<end))
        precondition(0...(end - start) ~= step.consumed, "consumed what was not there")
        start += step.consumed
        if step.isDone { return start }
        guard step.consumed == 0 else { continue }
        guard end < bytes.count else { return start }
        end = min(end + max(size, 1), bytes.count)
    }
}
