public import SocketTransport
internal import Synchronization
internal import Wire

/// What finds the records of a stream: in one body, or in those of several requests.
///
/// Only the read that ``RecordReader`` has admitted calls `parse`, `fill` and `finish`.
protocol RecordSource<Record>: AnyObject, Sendable {
    associatedtype Record: Sendable
    var engine: Engine { get }
    /// The method and the URL of the request without credentials, for errors.
    var request: (method: HTTPMethod, url: String) { get }

    /// Adds the next records that have been received, the next one last; adds none if more must be read first, and at the end.
    ///
    /// - Throws: the reason why no record follows those that were added.
    func parse(into records: inout [Record]) throws(HTTPError)

    /// Reads more; returns whether there can be further records.
    func fill() async throws(HTTPError) -> Bool

    /// Ends the stream early, from any thread.
    func cancel()

    /// Ends the stream early, within a read; the connection can be used again if the rest of the body is short.
    func finish()
}

extension RecordSource {
    func finish() { cancel() }
}

/// A reader of records, shared by the copies and iterators of a stream; it admits one read at a time.
///
/// Several records are read at a time, and `buffered()` returns them one by one. The attributes let the
/// compiler specialize it in the user's module, where an unspecialized call costs over 1000 instructions.
@usableFromInline final class RecordReader<Record: Sendable>: @unchecked Sendable {
    // `@unchecked Sendable`: only the read that `admission` has admitted uses `failure`.
    private let source: any RecordSource<Record>
    /// That of the source, which is dear to ask for each record.
    private let engine: Engine
    /// The records that were read ahead of the caller, the next one last.
    @usableFromInline let batch = Locked<[Record]>([])
    /// The error after the records of the batch.
    private var failure: HTTPError?
    private let admission: ReadAdmission

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - source: what finds the records; nothing else may use it.
    ///   - admission: what admits the reads, if other reads exclude those of records.
    init(_ source: any RecordSource<Record>, _ admission: ReadAdmission = ReadAdmission()) {
        self.source = source
        engine = source.engine
        self.admission = admission
    }

    /// Returns the next record if it was read ahead; nil if others must be found first.
    ///
    /// It needs no admission, because another read in progress has taken the batch.
    @inlinable func buffered() -> Record? {
        batch.withLock { $0.popLast() }
    }

    /// Returns the next record; nil after the last one.
    @usableFromInline func next() async throws(HTTPError) -> Record? {
        try admission.begin(source.request)
        defer { admission.end() }
        while true {
            if let record = try received() { return record }
            guard try await source.fill() else { return nil }
        }
    }

    /// Returns the next record, or nil after the last one; blocks the calling thread.
    @usableFromInline func wait() throws(HTTPError) -> Record? {
        if mayBlockThread, let record = try receivedAlone() { return record }
        return try engine.wait(naming: source.request) { [self] in
            do throws(HTTPError) {
                return .success(try await next())
            } catch {
                return .failure(error)
            }
        }
    }

    /// Whether a call may block the calling thread.
    @usableFromInline var mayBlockThread: Bool { engine.mayBlockThread }

    private func receivedAlone() throws(HTTPError) -> Record? {
        try admission.begin(source.request)
        defer { admission.end() }
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
            try source.parse(into: &records)
        } catch {
            guard !records.isEmpty else { throw error }
            failure = error
        }
        let record = records.popLast()
        batch.withLock { $0 = records }
        return record
    }

    /// Ends the stream early, from any thread.
    func cancel() { source.cancel() }
}

/// What admits one read of a stream at a time.
final class ReadAdmission: Sendable {
    private let isReading = Atomic<Bool>(false)

    /// Admits a read.
    ///
    /// - Throws: `.invalidRequest(.overlappingRead)` while another one is in progress.
    func begin(
        _ request: @autoclosure () -> (method: HTTPMethod, url: String)
    ) throws(HTTPError) {
        guard !isReading.exchange(true, ordering: .acquiring) else {
            let request = request()
            throw HTTPError(.invalidRequest(.overlappingRead), phase: .body)
                .naming(request.method, request.url)
        }
    }

    func end() {
        isReading.store(false, ordering: .releasing)
    }
}

/// The records in one body.
final class BodyRecordSource<Parser: RecordParser>: RecordSource, @unchecked Sendable {
    // `@unchecked Sendable`: only an admitted read uses `records`.
    private let source: ResponseBodySource
    private var records: RecordBuffer<Parser>

    init(_ source: ResponseBodySource, _ parser: Parser) {
        self.source = source
        records = RecordBuffer(parser)
    }

    var engine: Engine { source.engine }
    var request: (method: HTTPMethod, url: String) { (source.method, source.publicURL) }

    func parse(into batch: inout [Parser.Record]) throws(HTTPError) {
        do throws(RecordFailure) {
            try records.read(into: &batch)
        } catch {
            throw source.error(error)
        }
    }

    func fill() async throws(HTTPError) -> Bool {
        guard !records.isAtEnd else { return false }
        do throws(HTTPError) {
            records.append(try await source.next())
        } catch {
            records.end()
            throw error
        }
        return true
    }

    func cancel() { source.cancel() }
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
