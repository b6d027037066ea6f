public import SocketTransport
internal import Synchronization
internal import Wire

/// A reader of records, shared by the copies and iterators of a stream.
///
/// This class is the interface and admits one read at a time. The subclasses read records.
///
/// Several records are read at a time, and `buffered()` returns them one by one. The attributes let the
/// compiler specialize it in the user's module, where an unspecialized call costs over 1000 instructions.
@usableFromInline class RecordReader<Record: Sendable>: @unchecked Sendable {
    // `@unchecked Sendable`: only the read that has set `isReading` uses `failure` and the variables of a
    // subclass.
    let engine: Engine
    /// The method and the URL of the request without credentials, for errors.
    let request: (method: HTTPMethod, url: String)
    /// The records that were read ahead of the caller, the next one last.
    @usableFromInline let batch = Locked<[Record]>([])
    /// The error after the records of the batch.
    private var failure: HTTPError?
    private let isReading = Atomic<Bool>(false)

    init(on engine: Engine, _ method: HTTPMethod, _ url: String) {
        self.engine = engine
        request = (method, url)
    }

    /// Returns the next record if it was read ahead; nil if others must be found first.
    ///
    /// It does not need `isReading`, because another read in progress has taken the batch.
    @inlinable final func buffered() -> Record? {
        batch.withLock { $0.popLast() }
    }

    /// Returns the next record; nil after the last one.
    @usableFromInline final func next() async throws(HTTPError) -> Record? {
        try beginRead()
        defer { endRead() }
        while true {
            if let record = try received() { return record }
            guard try await fill() else { return nil }
        }
    }

    /// Returns the next record, or nil after the last one; blocks the calling thread.
    @usableFromInline final func wait() throws(HTTPError) -> Record? {
        if mayBlockThread, let record = try receivedAlone() { return record }
        return try engine.wait(naming: request) { [self] in
            do throws(HTTPError) {
                return .success(try await next())
            } catch {
                return .failure(error)
            }
        }
    }

    /// Whether a call may block the calling thread.
    @usableFromInline final var mayBlockThread: Bool { engine.mayBlockThread }

    private func receivedAlone() throws(HTTPError) -> Record? {
        try beginRead()
        defer { endRead() }
        return try received()
    }

    /// Returns the next record if it has been received; nil if more must be read first, and at the end.
    private func received() throws(HTTPError) -> Record? {
        if let record = buffered() { return record }
        if let failure = failure.take() { throw failure }
        // Its capacity is used again.
        var records = batch.withLock { batch in
            defer { batch = [] }
            return batch
        }
        do throws(HTTPError) {
            try parse(into: &records)
        } catch {
            guard !records.isEmpty else { throw error }
            failure = error
        }
        let record = records.popLast()
        batch.withLock { $0 = records }
        return record
    }

    /// Adds the next records that have been received, the next one last; adds none if more must be read first, and at the end.
    ///
    /// - Throws: the reason why no record follows those that were added.
    func parse(into records: inout [Record]) throws(HTTPError) {}

    /// Reads more; returns whether there can be further records.
    func fill() async throws(HTTPError) -> Bool { false }

    /// Ends the stream early, from any thread.
    func cancel() {}

    /// Ends the stream early, within a read; the connection can be used again if the rest of the body is short.
    func finish() { cancel() }

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

    override func parse(into batch: inout [Parser.Record]) throws(HTTPError) {
        do throws(RecordFailure) {
            try records.read(into: &batch)
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
