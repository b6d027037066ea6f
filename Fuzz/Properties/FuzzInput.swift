internal import Wire

/// One input of the fuzzer: choices, followed by the bytes of a message.
///
/// The choices come first so that the fuzzer can change the message without changing the choices.
package struct FuzzInput {
    /// The bytes that have not been consumed.
    package private(set) var rest: ArraySlice<UInt8>

    /// Creates an input of these bytes.
    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Copies the buffer of libFuzzer.
    @unsafe package init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        self.init(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    }

    /// The bytes that have not been consumed, as an array.
    package var bytes: [UInt8] { Array(rest) }

    /// The bytes that have not been consumed, as text; invalid UTF-8 is replaced.
    package var text: String { String(decoding: rest, as: UTF8.self) }

    /// Consumes a byte; 0 when there is none.
    package mutating func byte() -> Int {
        rest.popFirst().map { Int($0) } ?? 0
    }

    /// Consumes a byte and returns the option that it selects.
    package mutating func pick<Option>(_ options: [Option]) -> Option {
        options[byte() % options.count]
    }
}

/// Feeds bytes as a connection would: bytes that were not consumed are passed again with more after them.
///
/// `size` bytes arrive at a time. `read` receives the available bytes, and returns how many it
/// consumed and whether it is done. It is called again at once when it consumed something. The
/// result is the number of bytes consumed.
func feed<Failure: Error>(
    _ bytes: [UInt8],
    size: Int,
    _ read: (Span<UInt8>) throws(Failure) -> (consumed: Int, isDone: Bool)
) throws(Failure) -> Int {
    var (start, end) = (0, 0)
    while true {
        let step = try read(bytes.span.extracting(start..<end))
        precondition(0...(end - start) ~= step.consumed, "more bytes consumed than given")
        start += step.consumed
        if step.isDone { return start }
        guard step.consumed == 0 else { continue }
        guard end < bytes.count else { return start }
        end = min(end + max(size, 1), bytes.count)
    }
}
