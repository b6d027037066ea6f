internal import Wire

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

    /// Returns the record at the end of the body, after ``next(in:consumed:)`` returned none.
    ///
    /// - Parameter bytes: the bytes that are not consumed yet.
    /// - Returns: nil if there is no such record.
    /// - Throws: the reason why there is no record.
    mutating func finish(_ bytes: Span<UInt8>) throws(RecordFailure) -> Record?
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

    init(_ kind: HTTPError.Kind) {
        self.kind = kind
    }

    /// Creates the failure for a record that exceeds a limit, after which nothing can be read.
    init(_ error: HTTPRecordError) {
        kind = .recordFailed(error)
        phase = .body
        isRecoverable = false
    }

    /// Creates the failure for an element of a sequence, after which the next one can be read.
    init(skipping error: HTTPRecordError) {
        kind = .recordFailed(error)
        phase = .body
    }
}
