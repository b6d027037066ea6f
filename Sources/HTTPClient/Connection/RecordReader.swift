internal import Synchronization
internal import Wire

/// A reader of records, shared by the copies and iterators of a stream.
///
/// This class is the interface and admits one read at a time. The subclasses read records.
class RecordReader<Record: Sendable>: @unchecked Sendable {
    // `@unchecked Sendable`: only the read that has set `isReading` uses the variables of a subclass.
    let engine: Engine
    /// The method and the URL of the request without credentials, for errors.
    let request: (method: HTTPMethod, url: String)
    private let isReading = Atomic<Bool>(false)

    init(on engine: Engine, _ method: HTTPMethod, _ url: String) {
        self.engine = engine
        request = (method, url)
    }

    /// Returns the next record if it has been received; nil if more must be read first, and at the end.
    final func buffered() throws(HTTPError) -> Record? {
        try beginRead()
        defer { endRead() }
        return try parsed()
    }

    /// Returns the next record; nil after the last one.
    final func next() async throws(HTTPError) -> Record? {
        try beginRead()
        defer { endRead() }
        while true {
            if let record = try parsed() { return record }
            guard try await fill() else { return nil }
        }
    }

    /// Returns the next record that has been received; nil if there is none.
    func parsed() throws(HTTPError) -> Record? { nil }

    /// Reads more; returns whether there can be further records.
    func fill() async throws(HTTPError) -> Bool { false }

    /// Ends the stream early, from any thread.
    func cancel() {}

    /// Admits a read.
    ///
    /// - Throws: `.invalidRequest(.overlappingRead)` while another one is in progress.
    final func beginRead() throws(HTTPError) {
        guard !isReading.exchange(true, ordering: .acquiring) else {
            throw HTTPError(.invalidRequest(.overlappingRead), phase: .body)
                .naming(request.method, request.url)
        }
    }

    final func endRead() {
        isReading.store(false, ordering: .releasing)
    }
}

/// A reader of the records in one body.
final class BodyRecordReader<Parser: RecordParser>: RecordReader<Parser.Record>,
    @unchecked Sendable
{
    // `@unchecked Sendable`: see the superclass.
    private let source: ResponseBodySource
    private var records: RecordBuffer<Parser>

    init(_ source: ResponseBodySource, _ parser: Parser) {
        self.source = source
        records = RecordBuffer(parser)
        super.init(on: source.engine, source.method, source.publicURL)
    }

    override func parsed() throws(HTTPError) -> Parser.Record? {
        do throws(RecordFailure) {
            return try records.next()
        } catch {
            throw source.error(error)
        }
    }

    override func fill() async throws(HTTPError) -> Bool {
        guard !records.isAtEnd else { return false }
        do throws(HTTPError) {
            records.append(try await source.next())
        } catch {
            records.end()
            throw error
        }
        return true
    }

    override func cancel() { source.cancel() }
}

extension ResponseBodySource {
    /// Returns the error of a read whose bytes are not a record; ends the body if no record can follow.
    func error(_ failure: RecordFailure) -> HTTPError {
        if !failure.isRecoverable { cancel() }
        return error(
            failure.kind,
            in: failure.phase,
            record: failure.record,
            underlying: failure.underlying
        )
    }
}
