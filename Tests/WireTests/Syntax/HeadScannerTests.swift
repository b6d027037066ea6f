import Glibc
import Testing
import Wire

/// The vector scan against the scalar one, which is the rule.
@Suite struct HeadScannerTests {
    /// Heads for each seed; `HEAD_ROUNDS` asks for more.
    private static let rounds =
        unsafe getenv("HEAD_ROUNDS").flatMap { unsafe Int(String(cString: $0)) } ?? 25_000

    @Test(arguments: 1...8) func `vectors and octets agree about every head`(seed: UInt64) {
        var heads = HeadMutator(seed: seed)
        var complete = 0
        var refused = 0
        for _ in 0..<Self.rounds {
            let (bytes, start) = heads.next()
            let most = [128, 128, 128, 70, 3, 0][heads.below(6)]
            let rule = HeadScanner.scalarReading(of: bytes, from: start, mostFields: most)
            let whole = HeadScanner.reading(of: bytes, from: start, cuts: [], mostFields: most)
            #expect(whole == rule, "\(bytes) from \(start), at most \(most)")
            if heads.below(8) == 0 {
                let cuts = (0..<1 + heads.below(4)).map { _ in heads.below(bytes.count + 1) }
                let pieces = HeadScanner.reading(
                    of: bytes,
                    from: start,
                    cuts: cuts.sorted(),
                    mostFields: most
                )
                #expect(pieces == rule, "\(bytes) from \(start), cut at \(cuts)")
            }
            if rule.end != nil { complete += 1 }
            if rule.error != nil { refused += 1 }
            if whole != rule { return }
        }
        // The heads must be of all kinds, or the comparison says nothing.
        #expect(complete > Self.rounds / 5)
        #expect(refused > Self.rounds / 5)
    }

    @Test func `every octet is judged alike at every place of a line`() {
        let line = "Content-Length: 12 34\r\nx: y\r\n\r\n"
        for place in 0..<line.utf8.count {
            for padding in [0, 1, 40, 64] {
                for byte in UInt8.min...UInt8.max {
                    var bytes = Array("A: \(String(repeating: "b", count: padding))\r\n".utf8)
                    let offset = bytes.count
                    bytes += line.utf8
                    bytes[offset + place] = byte
                    let rule = HeadScanner.scalarReading(of: bytes, from: 0, mostFields: 9)
                    let scan = HeadScanner.reading(of: bytes, from: 0, cuts: [], mostFields: 9)
                    guard scan != rule else { continue }
                    Issue.record(
                        "octet \(byte) at \(place) behind \(padding): \(scan), not \(rule)"
                    )
                }
            }
        }
    }

    @Test func `every known name has its number in any case`() {
        for name in FieldName.allKnown {
            for text in [name.rawName, name.rawName.uppercased(), name.rawName.lowercased()] {
                for rest in [0, 200] {
                    let tail = String(repeating: "z", count: rest)
                    let bytes = Array("Padding: \(tail)\r\n\(text): v\r\n\r\n".utf8)
                    let scan = HeadScanner.reading(of: bytes, from: 0, cuts: [], mostFields: 9)
                    #expect(scan.fields.last?[4] == Int(name.knownNumber))
                }
            }
        }
    }
}
