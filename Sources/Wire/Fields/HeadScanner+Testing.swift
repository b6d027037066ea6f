extension HeadScanner {
    /// The result of scanning a section; the tests compare two of them.
    package struct ScanResult: Equatable {
        /// The start and end of name and value, and the number of the name, for each line.
        package var fields: [[Int]] = []
        /// The offset of the first byte after the section; nil if it is incomplete.
        package var end: Int?
        package var error: WireError?

        package init() {}
    }

    /// Reads a section as the decoders do, first up to each of the cuts in turn and then whole.
    package static func scan(
        of bytes: [UInt8],
        from start: Int,
        cuts: [Int],
        maxFields: Int
    ) -> ScanResult {
        var reading = ScanResult()
        var scanner = SectionScanner(from: start)
        do throws(WireError) {
            for cut in cuts + [bytes.count] where cut >= start {
                let storage = try scanner.read(
                    bytes.span.extracting(first: cut),
                    maxFields: maxFields,
                    limit: .fieldCount(maxFields)
                )
                guard let storage else { continue }
                reading.end = scanner.position
                reading.fields = (0..<storage.entryCount).map { fields(of: storage[$0]) }
                return reading
            }
        } catch {
            reading.error = error
        }
        return reading
    }

    /// Reads a section byte by byte.
    package static func scanScalar(
        of bytes: [UInt8],
        from start: Int,
        maxFields: Int
    ) -> ScanResult {
        var reading = ScanResult()
        var fields: [[Int]] = []
        var position = start
        do throws(WireError) {
            while position < bytes.count {
                if bytes[position] == Byte.carriageReturn {
                    guard position + 1 < bytes.count else { break }
                    if bytes[position + 1] == Byte.lineFeed {
                        reading.end = position + 2
                        reading.fields = fields
                        return reading
                    }
                }
                let isFirst = fields.isEmpty
                let line = try fieldLine(in: bytes.span, from: position, isFirst: isFirst)
                guard let line else { break }
                guard fields.count < maxFields else {
                    throw .limitExceeded(.fieldCount(maxFields))
                }
                fields.append(Self.fields(of: SectionScanner.entry(for: line, in: bytes.span)))
                position = line.end
            }
        } catch {
            reading.error = error
        }
        return reading
    }

    private static func fields(of entry: FieldEntry) -> [Int] {
        [
            entry.name.lowerBound, entry.name.upperBound, entry.value.lowerBound,
            entry.value.upperBound, Int(entry.number), Int(entry.flags.rawValue),
        ]
    }
}

extension HeadScanner {
    /// The results of one implementation of the mask conversions for 64 bytes; the tests compare two.
    package struct MaskResult: Equatable {
        /// The bits of all bytes whose top bit is set.
        package var bits: UInt64
        /// For each 16 bytes, the index of the first byte with its top bit set; 16 if there is none.
        package var firstSet: [Int]
        package var firstSetIfAny: [Int?]
        package var areAllSet: [Bool]
    }

    /// Converts the top bits of 64 bytes with the scanner's implementation and with the portable one.
    package static func maskResults(
        of bytes: InlineArray<64, UInt8>
    ) -> (used: MaskResult, plain: MaskResult) {
        let masks = (0..<4).map { part in
            var lanes = V16()
            for index in 0..<16 { lanes[index] = bytes[16 * part + index] }
            return below(V16(repeating: 0x7f), lanes)
        }
        return (
            MaskResult(
                bits: BitMasks.bits(masks[0], masks[1], masks[2], masks[3]),
                firstSet: masks.map { BitMasks.firstSet($0) },
                firstSetIfAny: masks.map { BitMasks.firstSetIfAny($0) },
                areAllSet: masks.map { BitMasks.areAllSet($0) }
            ),
            MaskResult(
                bits: PortableBitMasks.bits(masks[0], masks[1], masks[2], masks[3]),
                firstSet: masks.map { PortableBitMasks.firstSet($0) },
                firstSetIfAny: masks.map { PortableBitMasks.firstSetIfAny($0) },
                areAllSet: masks.map { PortableBitMasks.areAllSet($0) }
            )
        )
    }
}
