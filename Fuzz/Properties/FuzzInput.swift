internal import Wire

/// Holds one input of the fuzzer: choices at the front, octets of a message behind them.
///
/// The choices come first so that the fuzzer can change the message without changing what is asked
/// of it.
package struct FuzzInput {
    /// What was not taken yet.
    package private(set) var rest: ArraySlice<UInt8>

    /// Holds those octets.
    package init(_ octets: [UInt8]) {
        rest = octets[...]
    }

    /// Copies what libFuzzer lends.
    @unsafe package init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        self.init(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    }

    /// The octets not taken yet.
    package var octets: [UInt8] { Array(rest) }

    /// The octets not taken yet as text, what is no UTF-8 replaced.
    package var text: String { String(decoding: rest, as: UTF8.self) }

    /// Takes an octet; 0 when there is none.
    package mutating func octet() -> Int {
        rest.popFirst().map { Int($0) } ?? 0
    }

    /// Takes one of the options.
    package mutating func pick<Option>(_ options: [Option]) -> Option {
        options[octet() % options.count]
    }
}

/// Feeds octets as a connection would: what was not consumed is shown again, with more behind it.
///
/// So many octets come at a time. `eat` takes what is there, says how many of them it is finished
/// with and whether it is done, and is called again at once when it consumed something. The answer
/// is the number of octets consumed.
func feed<Failure: Error>(
    _ octets: [UInt8],
    size: Int,
    _ eat: (Span<UInt8>) throws(Failure) -> (consumed: Int, isDone: Bool)
) throws(Failure) -> Int {
    var (start, end) = (0, 0)
    while true {
        let bite = try eat(octets.span.extracting(start..<end))
        precondition(0...(end - start) ~= bite.consumed, "consumed what was not there")
        start += bite.consumed
        if bite.isDone { return start }
        guard bite.consumed == 0 else { continue }
        guard end < octets.count else { return start }
        end = min(end + max(size, 1), octets.count)
    }
}
