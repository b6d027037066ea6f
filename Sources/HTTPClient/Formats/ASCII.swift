extension Sequence<UInt8> {
    /// The bytes with ASCII letters in lower case; other bytes stay.
    var lowercasedASCII: [UInt8] {
        map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}

extension String {
    /// The same text with ASCII letters in lower case; other characters stay.
    var lowercasedASCII: String { String(decoding: utf8.lowercasedASCII, as: UTF8.self) }
}
