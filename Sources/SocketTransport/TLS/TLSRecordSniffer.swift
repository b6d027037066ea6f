/// The first bytes of the peer's stream, to distinguish TLS from other protocols.
struct TLSRecordSniffer {
    private var type: UInt8?
    private var major: UInt8?

    var isIncomplete: Bool { major == nil }

    /// Examines received bytes; the caller passes each part of the stream once, in order.
    mutating func record(_ bytes: Span<UInt8>) {
        for index in bytes.indices {
            guard type == nil else {
                major = bytes[index]
                return
            }
            type = bytes[index]
        }
    }

    /// Whether the bytes are not a TLS record (RFC 8446 §5.1): type 20 to 23, version 3.x.
    var isNotTLS: Bool {
        guard let type else { return false }
        if type < 20 || type > 23 { return true }
        return major.map { $0 != 3 } ?? false
    }
}
