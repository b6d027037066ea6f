import Wire

/// One message, and the verdicts of the two readers.
struct Message: CustomStringConvertible {
    enum Role: Sendable {
        case request
        case response
    }

    let role: Role
    let bytes: [UInt8]
    let wire: Verdict
    let httpParser: Verdict

    init(role: Role, bytes: ArraySlice<UInt8>) {
        self.role = role
        self.bytes = Array(bytes)
        httpParser = CParser.verdict(on: self.bytes, role)
        let verdict = WireReader.verdict(on: self.bytes, role)
        if case .incomplete = verdict, case .complete = httpParser {
            // Wire reads whole lines, so it reports an error in the last line only when that line
            // ends.
            let longer = WireReader.verdict(on: self.bytes + Array("\r\n\r\n".utf8), role)
            if case .refused = longer { wire = longer } else { wire = verdict }
        } else {
            wire = verdict
        }
    }

    var description: String {
        let text = String(decoding: bytes, as: UTF8.self)
        return "\(role) \(text.debugDescription): Wire \(wire), http_parser \(httpParser)"
    }
}

/// The result of reading a message after which the sender closes the connection.
enum Verdict {
    /// The message was read to its end.
    case complete(Reading)
    /// The message is incomplete.
    case incomplete
    /// Wire rejected the message; the offset of the error counts from `section`.
    case refused(WireError, section: Int)
    /// http_parser rejected the message, with this error name.
    case rejectedByHTTPParser(String)

    struct Reading: Equatable {
        /// The length of the message in bytes.
        var end: Int
        var content: [UInt8] = []
        /// The status; 0 for a request.
        var status = 0
    }

    /// Whether the two verdicts agree: both readers read the same message, or neither read one.
    ///
    /// Where each of them rejects a message may differ, because Wire reads lines and http_parser
    /// bytes.
    func isEquivalent(to other: Verdict) -> Bool {
        switch (self, other) {
        case (.complete(let left), .complete(let right)): left == right
        case (.complete, _), (_, .complete): false
        default: true
        }
    }
}
