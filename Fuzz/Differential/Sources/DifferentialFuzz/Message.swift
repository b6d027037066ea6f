import Wire

/// One message, and what the two readers make of it.
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
            // We read lines whole: what is wrong with the last one is said when it ends.
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

/// What a reader makes of a message whose sender then closes the connection.
enum Verdict {
    /// Read to its end.
    case complete(Reading)
    /// More bytes would be needed.
    case incomplete
    /// We refused it; `section` is where the offset of the error counts from.
    case refused(WireError, section: Int)
    /// The C parser refused it, for a reason it names.
    case rejectedByHTTPParser(String)

    struct Reading: Equatable {
        /// Bytes of the message.
        var end: Int
        var content: [UInt8] = []
        /// 0 for a request.
        var status = 0
    }

    /// Says whether nothing needs to be explained: both have read the same message, or neither has
    /// read one. When each of them says no is its own affair, as one goes by lines, the other by bytes.
    func isEquivalent(to other: Verdict) -> Bool {
        switch (self, other) {
        case (.complete(let left), .complete(let right)): left == right
        case (.complete, _), (_, .complete): false
        default: true
        }
    }
}
