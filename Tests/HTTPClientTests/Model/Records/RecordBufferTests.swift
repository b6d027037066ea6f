import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests how many records are read ahead of the caller.
@Suite struct RecordBufferTests {
    @Test func `a batch has at most 64 records, and more bytes add the next ones`() throws {
        let decoded = Locked(0)
        let parser = JSONRecordParser(.lines, maxLength: 100) { bytes in
            decoded.withLock { $0 += 1 }
            return bytes.count
        }
        var records = RecordBuffer(parser)
        records.append([UInt8](repeating: 0x0A, count: 10) + Self.lines(100))
        var counts: [Int] = []
        for _ in 0..<3 {
            var batch: [Int] = []
            try records.read(into: &batch)
            counts.append(batch.count)
            #expect(decoded.withLock { $0 } == counts.reduce(0, +))
        }
        #expect(counts == [64, 36, 0])
        records.append(Self.lines(3))
        var batch: [Int] = []
        try records.read(into: &batch)
        #expect(batch == [1, 1, 1])
    }

    @Test func `no record of a batch begins after 16 KiB`() throws {
        let line = [UInt8](repeating: 0x61, count: 1023) + [0x0A]
        let body = [[UInt8]](repeating: line, count: 40).flatMap(\.self)
        var lines = RecordBuffer(TextLineParser(charset: nil, .replace, maxLength: 4096))
        lines.append(body)
        let event = Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 1016) + [0x0A, 0x0A]
        var events = RecordBuffer(EventParser(maxLength: 4096))
        events.append([[UInt8]](repeating: event, count: 40).flatMap(\.self))
        for count in [16, 16, 8, 0] {
            var texts: [String] = []
            try lines.read(into: &texts)
            var batch: [HTTPServerSentEvent] = []
            try events.read(into: &batch)
            #expect(texts.count == count && batch.count == count)
        }
    }

    @Test func `records before a failure are added, the next one last, and others later`() throws {
        var records = RecordBuffer(
            JSONRecordParser(.lines, maxLength: 100) { try HTTPJSON(parsing: $0) }
        )
        records.append(Array("1\n2\nx\n3\n".utf8))
        var batch: [HTTPJSON] = []
        #expect(throws: RecordFailure.self) { try records.read(into: &batch) }
        #expect(batch == [2, 1])
        batch = []
        try records.read(into: &batch)
        #expect(batch == [3])
    }

    private static func lines(_ count: Int) -> [UInt8] {
        [[UInt8]](repeating: [0x31, 0x0A], count: count).flatMap(\.self)
    }
}
