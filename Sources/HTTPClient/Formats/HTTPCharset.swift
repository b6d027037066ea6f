internal import SocketTransport

/// A charset for encoding text.
public struct HTTPCharset: Sendable, Hashable {
    enum Coding: Sendable, Hashable {
        case utf8
        case ascii
        case latin1
        case utf16BigEndian
        case utf16LittleEndian
    }

    let coding: Coding

    /// The charset's name in the header field Content-Type (RFC 9110 §8.3.2).
    public let name: String

    /// UTF-8, which encodes every character and which every receiver understands.
    public static let utf8 = HTTPCharset(coding: .utf8, name: "utf-8")
    /// US-ASCII: U+0000 to U+007F.
    public static let ascii = HTTPCharset(coding: .ascii, name: "us-ascii")
    /// ISO 8859-1: U+0000 to U+00FF.
    public static let latin1 = HTTPCharset(coding: .latin1, name: "iso-8859-1")
    /// UTF-16 with the more significant byte first, without a byte order mark (RFC 2781 §3.3).
    public static let utf16BigEndian = HTTPCharset(coding: .utf16BigEndian, name: "utf-16be")
    /// UTF-16 with the less significant byte first, without a byte order mark (RFC 2781 §3.3).
    public static let utf16LittleEndian = HTTPCharset(coding: .utf16LittleEndian, name: "utf-16le")

    /// Encodes text.
    ///
    /// - Throws: the first character that the charset cannot encode.
    func encode(_ text: String) throws(Unencodable) -> [UInt8] {
        switch coding {
        case .utf8: return Array(text.utf8)
        case .ascii: return try encodeSingleByte(text, below: 0x80)
        case .latin1: return try encodeSingleByte(text, below: 0x100)
        case .utf16BigEndian:
            return text.utf16.flatMap { unit in
                [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
            }
        case .utf16LittleEndian:
            return text.utf16.flatMap { unit in
                [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
            }
        }
    }

    /// Encodes each scalar as one byte.
    private func encodeSingleByte(
        _ text: String,
        below bound: UInt32
    ) throws(Unencodable) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard scalar.value < bound else { throw Unencodable(scalar: scalar) }
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        }
        return bytes
    }

    struct Unencodable: Error {
        let scalar: Unicode.Scalar
    }
}

extension HTTPContentType {
    /// Returns the type with the charset as its parameter, unless it needs none.
    func adding(_ charset: HTTPCharset) -> HTTPContentType {
        let lowercase = rawValue.lowercasedASCII
        let isText = lowercase.hasPrefix("text/")
        guard !lowercase.hasSubstring("charset="), isText || charset != .utf8 else { return self }
        return HTTPContentType("\(rawValue); charset=\(charset.name)")
    }
}
