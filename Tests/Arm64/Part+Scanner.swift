// Checks the scanner against the scalar scanner, and the two ways to make integers of masks.

extension Part {
    mutating func checkMasks(rounds: Int) {
        var random = HeadMutator(seed: 7)
        for round in 0..<rounds {
            var bytes = InlineArray<64, UInt8>(repeating: round % 3 == 0 ? 0xff : 0)
            for _ in 0..<random.below(64) { bytes[random.below(64)] = UInt8(random.below(256)) }
            let (used, plain) = HeadScanner.maskResults(of: bytes)
            var bits: UInt64 = 0
            for index in 0..<64 { bits |= UInt64(bytes[index] >> 7) << UInt64(index) }
            record([], agrees: used == plain && used.bits == bits, isComplete: true)
            add(used.bits)
            add(used.firstSet)
            add(used.firstSetIfAny)
            add(used.areAllSet)
        }
    }

    mutating func checkSections(rounds: Int) {
        var heads = HeadMutator(seed: 1)
        for _ in 0..<rounds {
            let (bytes, start) = heads.next()
            let most = [128, 128, 128, 70, 3, 0][heads.below(6)]
            let rule = HeadScanner.scanScalar(of: bytes, from: start, maxFields: most)
            let cuts = heads.below(4) == 0 ? heads.cuts(of: bytes) : []
            let whole = HeadScanner.scan(of: bytes, from: start, cuts: [], maxFields: most)
            let pieces = HeadScanner.scan(of: bytes, from: start, cuts: cuts, maxFields: most)
            record(bytes, agrees: whole == rule && pieces == rule, isComplete: rule.end != nil)
            add(whole)
        }
    }

    mutating func checkHeads(rounds: Int, isRequest: Bool) {
        var heads = HeadMutator(seed: isRequest ? 101 : 201)
        for _ in 0..<rounds {
            let bytes = heads.nextHead(isRequest: isRequest)
            var limits = WireLimits()
            limits.fieldCount = [128, 128, 128, 70, 3, 0][heads.below(6)]
            if heads.below(6) == 0 { limits.headBytes = heads.below(bytes.count + 20) }
            let cuts = heads.below(4) == 0 ? heads.cuts(of: bytes) : []
            let read = { (path: HeadScanner.HeadPath) in
                HeadScanner.scanHead(
                    of: bytes,
                    isRequest: isRequest,
                    by: path,
                    cuts: cuts,
                    limits: limits
                )
            }
            let rule = read(.scalar)
            let span = read(.span)
            let buffer = read(.buffer(behind: heads.below(3) == 0 ? heads.below(90) : 0))
            let agrees = span == rule && buffer == rule
            record(bytes, agrees: agrees, isComplete: rule.fields.end != nil)
            add(span.startLine)
            add(span.fields)
        }
    }

    private mutating func add(_ reading: HeadScanner.ScanResult) {
        add(reading.fields)
        add(reading.end)
        add(reading.error)
    }
}

extension HeadMutator {
    /// Returns up to four positions at which to split bytes, in order.
    mutating func cuts(of bytes: [UInt8]) -> [Int] {
        (0..<1 + below(4)).map { _ in below(bytes.count + 1) }.sorted()
    }

    /// Returns a chunked body with possible bytes after it, about half of them malformed.
    mutating func nextBody() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<below(7) {
            let size = below(6) == 0 ? 200 + below(3000) : 1 + below(40)
            let digits = String(size, radix: 16, uppercase: below(2) == 0)
            bytes += [UInt8](repeating: 0x30, count: below(8) == 0 ? below(12) : 0)
            bytes += Array(digits.utf8)
            if below(8) == 0 { bytes += Array(";name=\"a value\"".utf8) }
            bytes += [0x0d, 0x0a]
            for _ in 0..<size { bytes.append(UInt8(below(256))) }
            bytes += [0x0d, 0x0a]
        }
        bytes += [0x30, 0x0d, 0x0a]
        let (section, place) = next()
        bytes += below(3) == 0 ? section[place...] : [0x0d, 0x0a]
        if below(2) == 0 { bytes[below(bytes.count)] = UInt8(below(256)) }
        if below(6) == 0 { bytes.removeLast(below(bytes.count)) }
        return bytes
    }
}
