/// An encoder of numbers and of bytes with their count; numbers are big-endian.
package struct ByteEncoder {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends bytes without a count.
    package mutating func append(raw more: [UInt8]) { bytes += more }

    /// Appends bytes with a count of two bytes; returns false if there are too many.
    package mutating func append(short more: some Collection<UInt8>) -> Bool {
        guard let count = UInt16(exactly: more.count) else { return false }
        append(count)
        bytes += more
        return true
    }

    /// Appends bytes with a count of four bytes; returns false if there are too many.
    package mutating func append(long more: some Collection<UInt8>) -> Bool {
        guard let count = UInt32(exactly: more.count) else { return false }
        append(count)
        bytes += more
        return true
    }
}

/// A decoder of the bytes of a ``ByteEncoder``; each function returns nil where the bytes end too early.
struct ByteDecoder {
    private let source: [UInt8]
    private var position = 0

    init(_ source: [UInt8]) {
        self.source = source
    }

    /// The number of bytes that were not decoded yet.
    var rest: Int { source.count - position }

    mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(
        _: Number.Type
    ) -> Number? {
        let end = position + Number.bitWidth / 8
        guard end <= source.count else { return nil }
        var number: Number = 0
        while position < end {
            number = number << 8 | Number(truncatingIfNeeded: source[position])
            position += 1
        }
        return number
    }

    /// Decodes a number that is not negative as an `Int`.
    mutating func count() -> Int? { integer(UInt64.self).flatMap { Int(exactly: $0) } }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= rest else { return nil }
        defer { position += count }
        return Array(source[position..<position + count])
    }

    /// Decodes bytes with a count of two bytes.
    mutating func shortBytes() -> [UInt8]? {
        integer(UInt16.self).flatMap { bytes(Int($0)) }
    }

    /// Decodes bytes with a count of four bytes.
    mutating func longBytes() -> [UInt8]? {
        integer(UInt32.self).flatMap { bytes(Int($0)) }
    }

    /// Decodes a text with a count of two bytes; nil if it is not UTF-8.
    mutating func shortText() -> String? {
        shortBytes().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Decodes a text with a count of four bytes; nil if it is not UTF-8.
    mutating func longText() -> String? {
        longBytes().flatMap { String(validating: $0, as: UTF8.self) }
    }
}
