/// Tells where bytes lie in a storage: first byte and length, in one word.
///
/// A word that is written whole and read whole passes from one to the other at once; two halves
/// that are read as a whole make the processor wait, as long as it takes to read half a line.
struct PackedRange: Sendable {
    private let word: UInt64

    /// Nothing, at the front.
    static let none = PackedRange(start: 0, length: 0)

    /// Both must fit into 32 bits, as all bytes of a storage do.
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
