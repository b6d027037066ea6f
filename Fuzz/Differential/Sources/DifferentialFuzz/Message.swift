import Wire

/// One message, and what the two readers make of it.
struct Message: CustomStringConvertible {
    enum Role: Sendable {
        case request
        case response
    }

    let role: Role
    let octets: [UInt8]
    let ours: Verdict
    let theirs: Verdict

    init(role: Role, octets: ArraySlice<UInt8>) {
        self.role = role
        self.octets = Array(octets)
        theirs = CParser.verdict(on: self.octets, role)
        let verdict = WireReader.verdict(on: self.octets, role)
        if case .incomplete = verdict, case .complete = theirs {
            // We read lines whole: what is wrong with the last one is said when it ends.
            let longer = WireReader.verdict(on: self.octets + Array("\r\n\r\n".utf8), role)
            if case .refused = longer { ours = longer } else { ours = verdict }
        } else {
            ours = verdict
        }
    }

    var description: String {
        let text = String(decoding: octets, as: UTF8.self)
        return "\(role) \(text.debugDescription): ours \(ours), theirs \(theirs)"
    }
}

/// What a reader makes of a message whose sender then closes the connection.
enum Verdict {
    /// Read to its end.
    case complete(Reading)
    /// More octets would be needed.
    case incomplete
    /// We refused it; `section` is where the offset of the error counts from.
    case refused(WireError, section: Int)
    /// The C parser refused it, for a reason it names.
    case refusedByPeer(String)

    struct Reading: Equatable {
        /// Octets of the message.
        var end: Int
        var content: [UInt8] = []
        /// 0 for a request.
        var status = 0
    }

    /// Says whether nothing needs to be explained: both have read the same message, or neither has
    /// read one. When each of them says no is its own affair, as one goes by lines, the other by octets.
    func isLike(_ other: Verdict) -> Bool {
        switch (self, other) {
        case (.complete(let left), .complete(let right)): left == right
        case (.complete, _), (_, .complete): false
        default: true
        }
    }
}
