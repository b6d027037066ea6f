/// The position of one field line in the bytes of a ``FieldStorage``; 16 bytes.
struct FieldEntry: BitwiseCopyable, Sendable {
    var nameStart: UInt32 = 0
    var nameLength: UInt16 = 0
    /// The number of a known name in the low bits, and flags in the high bits.
    private var tag: UInt16 = 0
    var valueStart: UInt32 = 0
    var valueLength: UInt32 = 0

    /// Creates an entry; the scanner and the storage ensure that the lengths fit.
    init(name: Range<Int>, number: UInt16, value: Range<Int>, flags: Flags) {
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameLength = UInt16(truncatingIfNeeded: name.count)
        tag = number & Self.numberMask | flags.rawValue
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueLength = UInt32(truncatingIfNeeded: value.count)
    }

    /// Creates an entry from numbers that are known to fit.
    @inline(__always)
    init(
        nameStart: Int,
        nameLength: Int,
        number: UInt16,
        valueStart: Int,
        valueLength: Int,
        flags: Flags
    ) {
        self.nameStart = UInt32(truncatingIfNeeded: nameStart)
        self.nameLength = UInt16(truncatingIfNeeded: nameLength)
        tag = number | flags.rawValue
        self.valueStart = UInt32(truncatingIfNeeded: valueStart)
        self.valueLength = UInt32(truncatingIfNeeded: valueLength)
    }

    /// Completes an entry that has only the start of its line.
    @inline(__always)
    mutating func complete(
        nameLength: Int,
        number: UInt16,
        valueStart: Int,
        valueLength: Int,
        flags: Flags
    ) {
        self.nameLength = UInt16(truncatingIfNeeded: nameLength)
        tag = number | flags.rawValue
        self.valueStart = UInt32(truncatingIfNeeded: valueStart)
        self.valueLength = UInt32(truncatingIfNeeded: valueLength)
    }

    /// The number in ``KnownFieldNames``; 0 for any other name.
    var number: UInt16 { tag & Self.numberMask }
    var flags: Flags { Flags(rawValue: tag & ~Self.numberMask) }
    var name: Range<Int> { Int(nameStart)..<Int(nameStart) + Int(nameLength) }
    var value: Range<Int> { Int(valueStart)..<Int(valueStart) + Int(valueLength) }

    /// The number of bytes of the line in wire form, including its end.
    var lineLength: Int { Int(nameLength) &+ Int(valueLength) &+ 4 }

    /// The range of the whole line if it is in wire form, including its CRLF.
    var line: Range<Int> { Int(nameStart)..<Int(valueStart) + Int(valueLength) + 2 }

    /// Returns the same line at a position `distance` bytes higher.
    func moved(by distance: Int) -> FieldEntry {
        var copy = self
        copy.nameStart = UInt32(truncatingIfNeeded: Int(nameStart) + distance)
        copy.valueStart = UInt32(truncatingIfNeeded: Int(valueStart) + distance)
        return copy
    }

    /// The properties of one field line.
    struct Flags: OptionSet {
        let rawValue: UInt16

        /// The bytes are exactly `name: value` CRLF, so they can be sent unchanged.
        static let isWireForm = Flags(rawValue: 0x1000)
        /// The name is not a token.
        static let hasInvalidName = Flags(rawValue: 0x2000)
        /// The value contains a control byte.
        static let hasInvalidValue = Flags(rawValue: 0x4000)
        /// The field was too long to store, and was truncated.
        static let isTruncated = Flags(rawValue: 0x8000)
    }

    private static let numberMask: UInt16 = 0x0fff
}

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
