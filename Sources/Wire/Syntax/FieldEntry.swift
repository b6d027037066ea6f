/// Locates one field line in the bytes of a ``FieldStorage``; 16 bytes.
struct FieldEntry: BitwiseCopyable, Sendable {
    var nameStart: UInt32 = 0
    var nameLength: UInt16 = 0
    /// Number of a known name in the low bits, marks in the high ones.
    private var tag: UInt16 = 0
    var valueStart: UInt32 = 0
    var valueLength: UInt32 = 0

    /// Creates an entry; lengths must fit, as scanner and storage see to.
    init(name: Range<Int>, number: UInt16, value: Range<Int>, flags: Flags) {
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameLength = UInt16(truncatingIfNeeded: name.count)
        tag = number & Self.numberMask | flags.rawValue
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueLength = UInt32(truncatingIfNeeded: value.count)
    }

    /// Creates an entry of numbers that are known to fit.
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

    /// Completes an entry that tells where its line begins.
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

    /// Number in ``KnownFieldNames``; 0 for any other name.
    var number: UInt16 { tag & Self.numberMask }
    var flags: Flags { Flags(rawValue: tag & ~Self.numberMask) }
    var name: Range<Int> { Int(nameStart)..<Int(nameStart) + Int(nameLength) }
    var value: Range<Int> { Int(valueStart)..<Int(valueStart) + Int(valueLength) }

    /// Bytes of the line in wire form, its end included.
    var lineLength: Int { Int(nameLength) &+ Int(valueLength) &+ 4 }

    /// Where the whole line lies when it is in wire form, its CRLF included.
    var line: Range<Int> { Int(nameStart)..<Int(valueStart) + Int(valueLength) + 2 }

    /// The same line so many bytes further on.
    func moved(by distance: Int) -> FieldEntry {
        var copy = self
        copy.nameStart = UInt32(truncatingIfNeeded: Int(nameStart) + distance)
        copy.valueStart = UInt32(truncatingIfNeeded: Int(valueStart) + distance)
        return copy
    }

    /// What is known about the bytes of one field line.
    struct Flags: OptionSet {
        let rawValue: UInt16

        /// The bytes read `name: value` CRLF without a gap, so that they can be sent as they lie.
        static let isWireForm = Flags(rawValue: 0x1000)
        /// The name is no token.
        static let hasInvalidName = Flags(rawValue: 0x2000)
        /// The value holds a control byte.
        static let hasInvalidValue = Flags(rawValue: 0x4000)
        /// The field was too long to store; what is here is cut.
        static let isTruncated = Flags(rawValue: 0x8000)
    }

    private static let numberMask: UInt16 = 0x0fff
}
