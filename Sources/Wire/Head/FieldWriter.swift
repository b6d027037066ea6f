/// A writer that appends field lines directly to a head, for fields that are sent once.
///
/// To keep, search or change fields, use ``HTTPHeaders``. A writer checks each line while copying it
/// into the output array, and allocates nothing while the array has capacity.
/// ``ResponseHeadEncoder`` and ``RequestHeadEncoder`` pass a writer to a closure.
///
/// No method throws. After the first line that may not be sent, further lines are ignored. The
/// encoder then throws the error of that line and removes everything it wrote.
public struct FieldWriter: ~Copyable {
    private let writer: HeadScanner.HeadWriter

    private init(_ writer: consuming HeadScanner.HeadWriter) {
        self.writer = writer
    }

    /// Appends a start line, the lines that `fields` writes, and the empty line.
    ///
    /// - Parameters:
    ///   - output: unchanged if an error is thrown.
    ///   - size: the maximum number of bytes of the start line.
    ///   - startLine: appends the start line, which has already been checked.
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
    /// Whitespace around the value is removed, because it is not part of the value (RFC 9110 §5.5).
    public func append(_ name: FieldName, _ value: String) {
        HeadScanner.withSpan(of: value) { writer.append(name, $0) }
    }

    /// Appends a field line whose value can be any bytes; whitespace around the value is removed.
    public func append(_ name: FieldName, bytes value: Span<UInt8>) {
        writer.append(name, value)
    }

    /// Appends a field line with a decimal number, such as Content-Length.
    ///
    /// For a negative number, the encoder throws `.invalidFieldValue`.
    public func append(_ name: FieldName, _ number: Int) {
        writer.append(name, number)
    }

    /// Appends all fields of a section.
    public func append(contentsOf headers: HTTPHeaders) {
        guard let storage = headers.storage else { return }
        writer.append(contentsOf: storage)
    }
}
