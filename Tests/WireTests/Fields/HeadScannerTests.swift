import Glibc
import Testing
import Wire

/// Compares the vector scan with the scalar scan, which is the reference.
@Suite struct HeadScannerTests {
    /// The number of heads for each seed; `HEAD_ROUNDS` overrides it, as in `make check`.
    private static let rounds =
        unsafe getenv("HEAD_ROUNDS").flatMap { unsafe Int(String(cString: $0)) } ?? 8_000

    @Test(arguments: 1...8) func `the vector and scalar scans agree on random heads`(seed: UInt64) {
        var heads = HeadMutator(seed: seed)
        var complete = 0
        var refused = 0
        for _ in 0..<Self.rounds {
            let (bytes, start) = heads.next()
            let most = [128, 128, 128, 70, 3, 0][heads.below(6)]
            let rule = HeadScanner.scanScalar(of: bytes, from: start, maxFields: most)
            let whole = HeadScanner.scan(of: bytes, from: start, cuts: [], maxFields: most)
            #expect(whole == rule, "\(bytes) from \(start), at most \(most)")
            if heads.below(8) == 0 {
                let cuts = (0..<1 + heads.below(4)).map { _ in heads.below(bytes.count + 1) }
                let pieces = HeadScanner.scan(
                    of: bytes,
                    from: start,
                    cuts: cuts.sorted(),
                    maxFields: most
                )
                #expect(pieces == rule, "\(bytes) from \(start), split at \(cuts)")
            }
            if rule.end != nil { complete += 1 }
            if rule.error != nil { refused += 1 }
            if whole != rule { return }
        }
        // Enough heads must be valid, and enough malformed, for the comparison to be meaningful.
        #expect(complete > Self.rounds / 5)
        #expect(refused > Self.rounds / 5)
    }

    @Test(arguments: 1...4, [false, true])
    func `random heads are read the same by every scan`(seed: UInt64, isRequest: Bool) {
        var heads = HeadMutator(seed: seed &+ (isRequest ? 100 : 200))
        var complete = 0
        var refused = 0
        for _ in 0..<Self.rounds / 2 {
            let bytes = heads.nextHead(isRequest: isRequest)
            var limits = WireLimits()
            limits.fieldCount = [128, 128, 128, 70, 3, 0][heads.below(6)]
            if heads.below(6) == 0 { limits.headBytes = heads.below(bytes.count + 20) }
            var cuts: [Int] = []
            if heads.below(4) == 0 {
                cuts = (0..<1 + heads.below(4)).map { _ in heads.below(bytes.count + 1) }.sorted()
            }
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
            #expect(span == rule, "\(bytes), split at \(cuts), within \(limits)")
            #expect(buffer == rule, "\(bytes), split at \(cuts), within \(limits)")
            if rule.fields.end != nil { complete += 1 }
            if rule.fields.error != nil { refused += 1 }
            if span != rule || buffer != rule { return }
        }
        #expect(complete > Self.rounds / 8)
        #expect(refused > Self.rounds / 8)
    }

    @Test func `vector and scalar masks give the same integers`() {
        var random = HeadMutator(seed: 7)
        for round in 0..<20_000 {
            var bytes = InlineArray<64, UInt8>(repeating: round % 3 == 0 ? 0xff : 0)
            for _ in 0..<random.below(64) { bytes[random.below(64)] = UInt8(random.below(256)) }
            let (used, plain) = HeadScanner.maskResults(of: bytes)
            #expect(used == plain)
            let bits = (0..<64).reduce(UInt64(0)) { $0 | UInt64(bytes[$1] >> 7) << UInt64($1) }
            #expect(plain.bits == bits)
            guard used == plain, plain.bits == bits else { return }
        }
    }

    @Test func `the scans agree on every byte at every position of a field line`() {
        let line = "Content-Length: 12 34\r\nx: y\r\n\r\n"
        for place in 0..<line.utf8.count {
            for padding in [0, 1, 40, 64] {
                for byte in UInt8.min...UInt8.max {
                    var bytes = Array("A: \(String(repeating: "b", count: padding))\r\n".utf8)
                    let offset = bytes.count
                    bytes += line.utf8
                    bytes[offset + place] = byte
                    let rule = HeadScanner.scanScalar(of: bytes, from: 0, maxFields: 9)
                    let scan = HeadScanner.scan(of: bytes, from: 0, cuts: [], maxFields: 9)
                    guard scan != rule else { continue }
                    Issue.record(
                        "byte \(byte) at \(place) behind \(padding): \(scan), not \(rule)"
                    )
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `the scans agree on every byte at every position of a start line`(isRequest: Bool) {
        let line = isRequest ? "GET /a?b HTTP/1.1" : "HTTP/1.1 200 OK"
        for padding in [0, 40, 64] {
            let field = "A: \(String(repeating: "b", count: padding))"
            let head = Array("\(line)\r\n\(field)\r\nContent-Length: 12\r\n\r\n".utf8)
            for place in 0..<line.utf8.count + 2 {
                for byte in UInt8.min...UInt8.max {
                    var bytes = head
                    bytes[place] = byte
                    let readings = [.scalar, .span, .buffer(behind: 0), .buffer(behind: 7)].map {
                        HeadScanner.scanHead(
                            of: bytes,
                            isRequest: isRequest,
                            by: $0,
                            cuts: [],
                            limits: .default
                        )
                    }
                    guard readings.contains(where: { $0 != readings[0] }) else { continue }
                    Issue.record("byte \(byte) at \(place), \(padding): \(readings)")
                }
            }
        }
    }

    @Test func `every known field name is recognized in any case`() {
        for name in FieldName.allKnown {
            for text in [name.rawName, name.rawName.uppercased(), name.rawName.lowercased()] {
                for rest in [0, 200] {
                    let tail = String(repeating: "z", count: rest)
                    let bytes = Array("Padding: \(tail)\r\n\(text): v\r\n\r\n".utf8)
                    let scan = HeadScanner.scan(of: bytes, from: 0, cuts: [], maxFields: 9)
                    #expect(scan.fields.last?[4] == Int(name.knownNumber))
                }
            }
        }
    }
}
