/// An encoder for request heads (RFC 9112 §3).
///
/// The encoder adds no field and omits none. It refuses bytes that could change where the message
/// ends (CR, LF, NUL, a space in the target), so no value can smuggle in a second request.
public enum RequestHeadEncoder {
    /// Appends the start line, the fields and the empty line.
    ///
    /// - Parameters:
    ///   - head: checked completely before anything is written.
    ///   - output: the head is appended; unchanged if an error is thrown.
    /// - Throws: `.invalidMethod`, `.invalidTarget`, `.invalidVersion`, `.invalidFieldName`,
    ///   `.invalidFieldValue` or `.fieldTooLong`, the last three with the index of the field.
    public static func encode(
        _ head: RequestHead,
        into output: inout [UInt8]
    ) throws(WireError) {
        let line = try Line(head.method, head.target, head.version)
        let storage = head.headers.storage
        let fields = try storage?.encodedByteCount() ?? 0
        output.append(addingCapacity: line.room + fields + 2) { output in
            line.append(to: &output)
            storage?.encode(into: &output)
            HeadScanner.appendLineEnd(to: &output)
        }
    }

    /// Appends the start line, the fields that a closure writes, and the empty line.
    ///
    /// Use it for a head that is sent once:
    ///
    /// ```swift
    /// try RequestHeadEncoder.encode(.get, .origin("/"), into: &output) { fields in
    ///     fields.append(.host, "example.com")
    ///     fields.append(.accept, "*/*")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - method: a token.
    ///   - target: a target whose form is allowed for the method.
    ///   - version: 1.1 by default.
    ///   - output: the head is appended; unchanged if an error is thrown.
    ///   - fields: called once; it must also write Host.
    /// - Throws: `.invalidMethod`, `.invalidTarget`, `.invalidVersion`, or, after `fields` was
    ///   called, `.invalidFieldName`, `.invalidFieldValue` or `.fieldTooLong` with the index of the
    ///   first field that may not be sent.
    public static func encode(
        _ method: HTTPMethod,
        _ target: RequestTarget,
        version: HTTPVersion = .http11,
        into output: inout [UInt8],
        fields: (borrowing FieldWriter) -> Void
    ) throws(WireError) {
        let line = try Line(method, target, version)
        try FieldWriter.append(
            to: &output,
            line.room,
            startLine: { line.append(to: &$0) },
            fields: fields
        )
    }

    /// A request line that was checked.
    private struct Line: ~Copyable {
        private let method: String
        private let target: String
        private let version: HTTPVersion

        init(
            _ method: HTTPMethod,
            _ target: RequestTarget,
            _ version: HTTPVersion
        ) throws(WireError) {
            let word = method.rawValue
            guard HeadScanner.Classes.isToken(word.utf8.span) else { throw .invalidMethod }
            let text = target.text
            // The usual form is checked by the vector scanner; the target checks all other forms.
            let bytes = text.utf8.span
            let isPlain =
                !bytes.isEmpty && bytes[0] == Byte.slash && HeadScanner.Classes.isTarget(bytes)
            if !isPlain, let offset = target.invalidByteOffset {
                throw .invalidTarget(offset: offset)
            }
            guard target.isValid(for: method) else { throw .invalidTarget(offset: 0) }
            guard version == .http11 || version == .http10 else { throw .invalidVersion }
            self.method = word
            self.target = text
            self.version = version
        }

        /// The maximum number of bytes of the line.
        var room: Int { method.utf8.count + target.utf8.count + 12 }

        func append(to output: inout OutputSpan<UInt8>) {
            HeadScanner.withSpan(of: method) { HeadScanner.append($0, to: &output) }
            output.append(Byte.space)
            HeadScanner.withSpan(of: target) { HeadScanner.append($0, to: &output) }
            output.append(Byte.space)
            HeadScanner.append(word: version.word, to: &output)
            HeadScanner.appendLineEnd(to: &output)
        }
    }
}
