internal import Wire

// To change how records are found: `LineDecoder`, `JSONSequenceDecoder` and `EventStreamDecoder` of Wire find them (the
// tests have the same names, as `LineDecoderTests`), the parsers of this folder make values of them, several at a time,
// and `RecordReader` reads the body. The tests of the parsers are `TextLineParserTests`, `JSONRecordParserTests` and
// `RecordBufferTests`.

/// A parser of the records in a body, without I/O.
///
/// The caller passes all bytes that are not consumed yet, as to the decoders of Wire. The way the body is
/// split does not change the records or errors.
package protocol RecordParser<Record>: Sendable {
    associatedtype Record: Sendable

    /// Returns the next record.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that are not consumed yet.
    ///   - consumed: set to the number of bytes at the front that are no longer needed, also if it throws.
    /// - Returns: nil until more bytes arrive.
    /// - Throws: the reason why there is no record.
    mutating func next(
        in bytes: Span<UInt8>,
        consumed: inout Int
    ) throws(RecordFailure) -> Record?

    /// Reads the next records, which costs less than one at a time.
    ///
    /// The next one is the last of the array, so that it can be removed at low cost. The parsers reverse the
    /// array, because only their code is compiled for the type of record.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that are not consumed yet.
    ///   - consumed: set to the number of bytes at the front that are no longer needed, also if it throws.
    ///   - records: an empty array, to which the records are added, up to the limits of ``RecordBatch``.
    ///     None is added until more bytes arrive.
    /// - Throws: the reason why no record follows those that were added.
    mutating func read(
        _ bytes: Span<UInt8>,
        consumed: inout Int,
        into records: inout [Record]
    ) throws(RecordFailure)

    /// Returns the record at the end of the body, after ``next(in:consumed:)`` returned none.
    ///
    /// - Parameter bytes: the bytes that are not consumed yet.
    /// - Returns: nil if there is no such record.
    /// - Throws: the reason why there is no record.
    mutating func finish(_ bytes: Span<UInt8>) throws(RecordFailure) -> Record?
}

extension RecordParser {
    package mutating func read(
        _ bytes: Span<UInt8>,
        consumed: inout Int,
        into records: inout [Record]
    ) throws(RecordFailure) {
        defer { records.reverse() }
        while records.count < RecordBatch.maxCount, consumed < RecordBatch.maxBytes {
            var length = 0
            defer { consumed += length }
            guard
                let record = try next(
                    in: bytes.extracting(droppingFirst: consumed),
                    consumed: &length
                )
            else { return }
            records.append(record)
        }
    }
}

/// The limits of the records that are read ahead of the caller.
///
/// Reading several at a time saves most of the cost of an asynchronous call for each. They take little
/// more memory than the bytes that they came from, even if each is large when decoded.
enum RecordBatch {
    /// The maximum number of records.
    static let maxCount = 64
    /// The number of bytes after which no further record is read.
    static let maxBytes = 16 << 10
}

/// The reason why a record cannot be read.
package struct RecordFailure: Error {
    package let kind: HTTPError.Kind
    /// The phase of the call in the error.
    package var phase = HTTPPhase.decoding
    /// The error of a decoder.
    package var underlying: (any Error)?
    /// The bytes of the record.
    package var record: [UInt8] = []
    /// Whether the records after it can be read.
    package var isRecoverable = true

    package init(_ kind: HTTPError.Kind) {
        self.kind = kind
    }

    /// Creates the failure for a record that exceeds a limit, after which nothing can be read.
    package init(_ error: HTTPRecordError) {
        kind = .recordFailed(error)
        phase = .body
        isRecoverable = false
    }

    /// Creates the failure for an element of a sequence, after which the next one can be read.
    package init(skipping error: HTTPRecordError) {
        kind = .recordFailed(error)
        phase = .body
    }
}
