private import CHTTPParser

/// The reader that uses http_parser, byte by byte, so that the end of the message is known.
enum CParser {
    static func verdict(on bytes: [UInt8], _ role: Message.Role) -> Verdict {
        var parser = unsafe http_parser()
        unsafe http_parser_init(&parser, role == .request ? HTTP_REQUEST : HTTP_RESPONSE)
        var progress = Progress()
        for (index, byte) in bytes.enumerated() {
            unsafe progress.execute(&parser, [byte])
            if progress.isComplete {
                let status = unsafe role == .response ? Int(parser.status_code) : 0
                return .complete(
                    Verdict.Reading(end: index + 1, content: progress.content, status: status)
                )
            }
            if let name = unsafe error(of: &parser) { return .rejectedByHTTPParser(name) }
        }
        // An empty input means end of stream.
        unsafe progress.execute(&parser, [])
        guard progress.isComplete else { return .incomplete }
        let status = unsafe role == .response ? Int(parser.status_code) : 0
        return .complete(
            Verdict.Reading(end: bytes.count, content: progress.content, status: status)
        )
    }

    private static func error(of parser: inout http_parser) -> String? {
        let number = unsafe http_errno(rawValue: parser.http_errno)
        return unsafe number == HPE_OK ? nil : String(cString: http_errno_name(number))
    }

    /// The results of the callbacks.
    private struct Progress {
        var content: [UInt8] = []
        var isComplete = false

        mutating func execute(_ parser: inout http_parser, _ bytes: [UInt8]) {
            var settings = http_parser_settings()
            unsafe http_parser_settings_init(&settings)
            unsafe settings.on_body = { parser, start, count in
                guard let parser = unsafe parser, let start = unsafe start else { return 0 }
                let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
                unsafe parser.pointee.data.assumingMemoryBound(to: Progress.self)
                    .pointee.content.append(contentsOf: bytes)
                return 0
            }
            unsafe settings.on_message_complete = { parser in
                guard let parser = unsafe parser else { return 0 }
                unsafe parser.pointee.data.assumingMemoryBound(to: Progress.self)
                    .pointee.isComplete = true
                return 0
            }
            // The callbacks run only inside this call.
            unsafe withUnsafeMutablePointer(to: &self) { progress in
                unsafe parser.data = UnsafeMutableRawPointer(progress)
                unsafe bytes.withUnsafeBytes { bytes in
                    // The parser does not read the pointer if there are no bytes.
                    _ = unsafe http_parser_execute(
                        &parser,
                        &settings,
                        bytes.bindMemory(to: CChar.self).baseAddress,
                        bytes.count
                    )
                }
                unsafe parser.data = nil
            }
        }
    }
}
