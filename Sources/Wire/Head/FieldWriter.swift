/// Writes field lines straight into a head: for fields that are at hand, and sent once.
///
/// ``HTTPHeaders`` is a value to keep, search and change. This is none: each line is checked while
/// it is copied to where it is sent from, and nothing is allocated as long as the array has room.
/// ``ResponseHeadEncoder`` and ``RequestHeadEncoder`` lend one to a closure.
///
/// No call fails. A line that may not be sent is remembered, those behind it are ignored, and the
/// encoder throws its error and takes back all it wrote.
public struct FieldWriter: ~Copyable {
    private let writer: HeadScanner.HeadWriter

    private init(_ writer: consuming HeadScanner.HeadWriter) {
        self.writer = writer
    }

    /// Appends a start line, the lines that `fields` writes, and the empty line.
    ///
    /// - Parameters:
    ///   - output: untouched when an error is thrown.
    ///   - size: bytes of the start line, at most.
    ///   - startLine: appends it; what it writes has been checked.
    ///   - fields: called once.
    /// - Throws: the error of the first line that may not be sent.
    @inline(__always)
    static func append(
        to output: inout [UInt8],
        _ size: Int,
        startLine: (inout OutputSpan<UInt8>) -> Void,
        fields: (borrowing FieldWriter) -> Void
    ) throws(WireError) {
        try HeadScanner.HeadWriter.withWriter(appendingTo: &output, size, startLine) { writer in
            let fieldWriter = FieldWriter(writer)
            fields(fieldWriter)
            fieldWriter.writer.end()
        }
    }

    /// Appends a field line.
    ///
    /// Whitespace around the value is dropped, as it is not part of it (RFC 9110 §5.5).
    public func append(_ name: FieldName, _ value: String) {
        HeadScanner.withSpan(of: value) { writer.append(name, $0) }
    }

    /// Appends a field line with a value of any bytes; whitespace around it is dropped.
    public func append(_ name: FieldName, bytes value: Span<UInt8>) {
        writer.append(name, value)
    }

    /// Appends a field line with a number in decimal digits, such as Content-Length.
    ///
    /// A negative number is no such value: the encoder throws `.invalidFieldValue`.
    public func append(_ name: FieldName, _ number: Int) {
        writer.append(name, number)
    }

    /// Appends all fields of a section.
    public func append(contentsOf headers: HTTPHeaders) {
        guard let storage = headers.storage else { return }
        writer.append(contentsOf: storage)
    }
}
