/// Remembers how the peer's stream began, to tell TLS from anything else.
struct FirstOctets {
    private var type: UInt8?
    private var major: UInt8?

    var isIncomplete: Bool { major == nil }

    /// Looks at the start of the stream; later calls before it is complete see it again.
    mutating func note(_ start: Span<UInt8>) {
        if start.count > 0 { type = start[0] }
        if start.count > 1 { major = start[1] }
    }

    /// Whether something came that is no TLS record (RFC 8446 §5.1): type 20 to 23, version 3.x.
    var isPlain: Bool {
        guard let type else { return false }
        if type < 20 || type > 23 { return true }
        return major.map { $0 != 3 } ?? false
    }
}
