/// A range of bytes in a storage: the first byte and the length, in one word.
///
/// A processor forwards a store of a whole word directly to a load of it. Two stores of half a word
/// would make the load wait about as long as it takes to read half a line.
struct PackedRange: Sendable {
    private let word: UInt64

    /// An empty range at offset 0.
    static let none = PackedRange(start: 0, length: 0)

    /// Creates a range; both numbers must fit into 32 bits, as all offsets of a storage do.
    @inline(__always)
    init(start: Int, length: Int) {
        let start = UInt64(UInt32(truncatingIfNeeded: start))
        word = start | UInt64(truncatingIfNeeded: length) &<< 32
    }

    init(_ range: Range<Int>) {
        self.init(start: range.lowerBound, length: range.count)
    }

    var start: Int { Int(UInt32(truncatingIfNeeded: word)) }
    var length: Int { Int(word &>> 32) }
    var range: Range<Int> { start..<start + length }
}
