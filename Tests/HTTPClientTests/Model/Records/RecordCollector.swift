import ClientSupport
import HTTPClient
import Support

/// The records that a parser finds in pieces of a body, with the failures between them.
struct RecordCollector<Record: Sendable & Equatable>: Equatable {
    enum Entry: Equatable {
        case record(Record)
        case failure(HTTPError.Kind)
    }

    private(set) var entries: [Entry] = []

    /// Reads all records; `pieces` contains no empty array.
    init<Parser: RecordParser>(_ parser: Parser, _ pieces: [[UInt8]])
    where Parser.Record == Record {
        var records = RecordBuffer(parser)
        for piece in pieces + [[]] {
            records.append(piece)
            while true {
                var batch: [Record] = []
                var failure: RecordFailure?
                do throws(RecordFailure) {
                    try records.read(into: &batch)
                } catch {
                    failure = error
                }
                entries += batch.reversed().map { .record($0) }
                if let failure { entries.append(.failure(failure.kind)) }
                if records.isAtEnd { break }
                if batch.isEmpty, failure == nil { break }
            }
        }
    }
}
