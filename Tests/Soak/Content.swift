import Glibc

/// A body that is unique to one message: its key, followed by bytes derived from the key.
struct Content: Sendable {
    let key: UInt64
    let length: Int

    private static let headLength = 20
    private static let mask = 0xffff
    /// Two periods of the random bytes, so that a run of one period can begin at any offset.
    private static let block: [UInt8] = {
        var random = SplitMix64(seed: 1, number: 1)
        let period = (0...mask).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return period + period
    }()

    init(key: UInt64, length: Int) {
        self.key = key
        self.length = length
    }

    private var head: [UInt8] {
        let digits = Array(String(key).utf8)
        return digits + [UInt8](repeating: UInt8(ascii: "."), count: Self.headLength - digits.count)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        bytes += head.prefix(length)
        while bytes.count < length {
            let start = offset(at: bytes.count)
            let count = min(length - bytes.count, Self.mask + 1)
            bytes += Self.block[start..<start + count]
        }
        return bytes
    }

    private func offset(at position: Int) -> Int {
        Int(truncatingIfNeeded: key &* 31 &+ UInt64(position)) & Self.mask
    }

    /// Returns whether `part` equals the content from `position` on.
    func matches(_ part: Span<UInt8>, at position: Int) -> Bool {
        guard position + part.count <= length else { return false }
        var index = 0
        let head = head
        while index < part.count, position + index < Self.headLength {
            guard part[index] == head[position + index] else { return false }
            index += 1
        }
        while index < part.count {
            let start = offset(at: position + index)
            let count = min(part.count - index, Self.mask + 1)
            let isSame = unsafe part.extracting(index..<index + count).withUnsafeBytes { left in
                unsafe Self.block.withUnsafeBytes { right in
                    // SAFETY: both pointers are valid for `count` bytes from the given offsets.
                    unsafe memcmp(left.baseAddress!, right.baseAddress! + start, count) == 0
                }
            }
            guard isSame else { return false }
            index += count
        }
        return true
    }

    func isAll(of bytes: [UInt8]) -> Bool {
        bytes.count == length && matches(bytes.span, at: 0)
    }
}
