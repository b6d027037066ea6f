internal import Wire

/// The records of a streamed response body as an `AsyncSequence`: its lines, JSON values, events or parts.
///
///     let response = try await client.stream("https://example.com/log").requireSuccess()
///     for try await line in response.lines() { print(line) }
///
/// The functions of ``HTTPStreamedResponse`` and ``HTTPClient/events(_:options:)`` create it. <doc:StreamsAndEvents> has examples of each.
///
/// It reads from the network only when the caller requests a record that has not been received yet, so a
/// slow reader slows the sender down. Its memory is limited by the maximum length of a record.
///
/// Only one reader is allowed at a time. Copies and iterators share the same position in the body, so a
/// second loop continues after the first. A read that overlaps another throws. The bytes that it has
/// received but not returned are not in ``HTTPStreamedResponse/body`` any more.
///
/// When the reading task is canceled, records that have already been received are still returned. Then
/// the read throws `.cancelled`.
public struct HTTPRecordStream<Record: Sendable>: AsyncSequence, Sendable {
    /// A record of the body.
    public typealias Element = Record
    /// The error that reading throws.
    public typealias Failure = HTTPError

    private let reader: RecordReader<Record>

    /// Creates a stream of the records that a reader returns.
    init(_ reader: RecordReader<Record>) {
        self.reader = reader
    }

    /// Returns an iterator; all iterators of a stream share one position in the body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader)
    }

    /// An iterator over the records of a body.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        @usableFromInline let reader: RecordReader<Record>

        /// Returns the next record, or nil after the last one.
        ///
        /// - Throws: the error that ended the body early, once. `.recordFailed` for a record that is too
        ///   long; it ends the stream and closes the connection. `.decodingFailed` or `.undecodableText`
        ///   for a malformed record; the next call returns the record after it.
        @inlinable public mutating func next() async throws(HTTPError) -> Record? {
            if let record = reader.buffered() { return record }
            return try await reader.next()
        }

        // A parameter that is `isolated` would make each call switch executors, even if the record is there.
        /// Returns the next record, or nil after the last one.
        ///
        /// - Parameter actor: the isolation of the caller, which the call keeps.
        /// - Returns: the record; nil after the last one.
        /// - Throws: the same errors as ``next()``.
        @inlinable public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(HTTPError) -> Record? {
            if let record = reader.buffered() { return record }
            return try await reader.next()
        }
    }

    /// Ends the stream early and closes its connection.
    ///
    /// A read in progress on another thread or task throws `.cancelled`, or else a later read does, after the
    /// records that have already been received.
    public func cancel() { reader.cancel() }

    /// The functions of the stream that block the calling thread, for threads that run no Swift task.
    ///
    ///     let response = try client.blocking.stream("https://example.com/log")
    ///     let lines = response.lines().blocking
    ///     while let line = try lines.next() { print(line) }
    public var blocking: Blocking { Blocking(reader: reader) }

    /// The functions of a record stream for threads that run no Swift task.
    public struct Blocking: Sendable {
        @usableFromInline let reader: RecordReader<Record>

        /// Returns the next record, or nil after the last one; blocks the calling thread.
        ///
        /// ``HTTPRecordStream/cancel()`` ends a call that blocks another thread.
        ///
        /// - Throws: the same errors as ``Iterator/next()``; `.invalidRequest(.blockingInsideTask)` inside a
        ///   Swift task and on the client's event loop.
        @inlinable public func next() throws(HTTPError) -> Record? {
            if reader.mayBlockThread, let record = reader.buffered() { return record }
            return try reader.wait()
        }
    }
}
