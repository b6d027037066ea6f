extension HeadScanner {
    /// The implementations that read a head; the tests compare them.
    package enum HeadPath: Sendable {
        /// Byte by byte; the reference implementation.
        case scalar
        /// From a span, with a copy.
        case span
        /// In a buffer, after `behind` bytes that were consumed.
        case buffer(behind: Int)
    }

    /// The result of reading a head: its start line as numbers, and its fields.
    package struct HeadScanResult: Equatable {
        package var startLine: [Int] = []
        package var fields = ScanResult()

        package init() {}
    }

    /// Reads a head that arrives in pieces: up to each of the cuts in turn, and then whole.
    package static func scanHead(
        of bytes: [UInt8],
        isRequest: Bool,
        by path: HeadPath,
        cuts: [Int],
        limits: WireLimits
    ) -> HeadScanResult {
        var reading = HeadScanResult()
        do throws(WireError) {
            switch path {
            case .scalar: try readScalar(bytes, isRequest, limits, &reading)
            case .span: try readSpan(bytes, isRequest, cuts, limits, &reading)
            case .buffer(let offset):
                try readBuffer(bytes, isRequest, cuts, limits, behind: offset, &reading)
            }
        } catch {
            reading.startLine = []
            reading.fields = ScanResult()
            reading.fields.error = error
        }
        return reading
    }

    private static func readScalar(
        _ input: [UInt8],
        _ isRequest: Bool,
        _ limits: WireLimits,
        _ reading: inout HeadScanResult
    ) throws(WireError) {
        let bytes = Array(input.prefix(limits.headBytes))
        var searched = 0
        let line =
            isRequest
            ? try RequestHeadDecoder.startLine(bytes.span, &searched)
            : try ResponseHeadDecoder.startLine(bytes.span, &searched)
        if let line {
            reading.fields = scanScalar(
                of: bytes,
                from: line.end,
                maxFields: limits.fieldCount
            )
            if let error = reading.fields.error { throw error }
            if reading.fields.end != nil { reading.startLine = numbers(of: line, from: 0) }
        }
        if reading.fields.end == nil, input.count >= limits.headBytes {
            throw .limitExceeded(.headBytes(limits.headBytes))
        }
    }

    private static func readSpan(
        _ bytes: [UInt8],
        _ isRequest: Bool,
        _ cuts: [Int],
        _ limits: WireLimits,
        _ reading: inout HeadScanResult
    ) throws(WireError) {
        var reader = HeadReader(limits: limits)
        // Tests that the memory of a recycled head is reused.
        reader.recycle(FieldStorage(entryCapacity: cuts.count, byteCapacity: 100))
        for cut in cuts + [bytes.count] {
            let part = bytes.span.extracting(first: cut)
            let read =
                isRequest
                ? try reader.read(.request, part) : try reader.read(.response, part)
            guard let read else { continue }
            reading.take(read)
            return
        }
    }

    private static func readBuffer(
        _ bytes: [UInt8],
        _ isRequest: Bool,
        _ cuts: [Int],
        _ limits: WireLimits,
        behind offset: Int,
        _ reading: inout HeadScanResult
    ) throws(WireError) {
        var reader = HeadReader(limits: limits)
        var buffer = InputBuffer(capacity: offset + bytes.count / 2, fields: 64)
        buffer.append([UInt8](repeating: 0x2e, count: offset).span)
        buffer.consume(offset / 2)
        buffer.consume(offset - offset / 2)
        var given = 0
        for cut in cuts + [bytes.count] {
            buffer.append(bytes.span.extracting(given..<cut))
            given = cut
            let read =
                isRequest
                ? try reader.read(.request, in: &buffer)
                : try reader.read(.response, in: &buffer)
            guard let read else { continue }
            reading.take(read)
            return
        }
    }

    fileprivate static func numbers(of line: StartLine, from start: Int) -> [Int] {
        // Only the vector scanner sets the number of a method; the bytes of the method are compared instead.
        [
            line.start - start, line.targetOrReason.start - start, line.targetOrReason.length,
            Int(line.minor), line.end - start, line.form == .origin ? 0 : 1,
        ]
    }
}

extension HeadScanner.HeadScanResult {
    fileprivate mutating func take(_ read: HeadReader.ParsedHead) {
        let storage = read.storage
        let start = storage.received.lowerBound
        startLine = HeadScanner.numbers(of: read.line, from: start)
        fields.end = read.length
        fields.fields = (0..<storage.entryCount).map { index in
            let entry = storage[index].moved(by: -start)
            return [
                entry.name.lowerBound, entry.name.upperBound, entry.value.lowerBound,
                entry.value.upperBound, Int(entry.number), Int(entry.flags.rawValue),
            ]
        }
    }
}
