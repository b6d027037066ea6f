/// Turns request heads into bytes (RFC 9112 §3).
///
/// What is written is what was given: no field is added, and none is left out. What could change
/// where the message ends (CR, LF, NUL, a space in the target) is refused, so no value can smuggle
/// in a second request.
public enum RequestHeadEncoder {
    /// Appends start line, fields and the empty line.
    ///
    /// - Parameters:
    ///   - head: every part of it is checked first.
    ///   - output: grows by the head; untouched when an error is thrown.
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

    /// Appends start line, the fields that `fields` writes, and the empty line.
    ///
    /// For a head whose parts are at hand and which is sent once:
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
    ///   - target: in the form that the method takes.
    ///   - version: default: 1.1.
    ///   - output: grows by the head; untouched when an error is thrown.
    ///   - fields: called once; Host is its business too.
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

    /// A request line that may be sent.
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
            // The usual form is judged at once; the target itself knows about all forms.
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

        /// Bytes of the line.
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
