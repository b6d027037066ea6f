internal import SocketTransport

/// Names how text becomes bytes.
public struct HTTPCharset: Sendable, Hashable {
    enum Coding: Sendable, Hashable {
        case utf8
        case ascii
        case latin1
        case utf16BigEndian
        case utf16LittleEndian
    }

    let coding: Coding

    /// The name that the field Content-Type gives it (RFC 9110 §8.3.2).
    public let name: String

    /// UTF-8, which can say everything and which everybody understands.
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
    /// - Throws: the first character that the charset cannot say.
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

    /// One byte for each scalar.
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

extension HTTPBody {
    /// Text.
    ///
    /// - Parameters:
    ///   - text: to be sent.
    ///   - contentType: default `text/plain`. A charset that it names itself is left as it is.
    ///   - charset: default UTF-8. Sending text that it cannot say throws
    ///     `.invalidRequest(.unencodableText)` with the first character that it has not.
    /// - Returns: a body whose content type names the charset, unless it is UTF-8 and the type is
    ///   no text: those have it by their own rules.
    public static func string(
        _ text: String,
        contentType: HTTPContentType = "text/plain",
        charset: HTTPCharset = .utf8
    ) -> HTTPBody {
        do throws(HTTPCharset.Unencodable) {
            let bytes = try charset.encode(text)
            return HTTPBody(content: .bytes(bytes), contentType: contentType.adding(charset))
        } catch {
            let fault = HTTPInvalidRequestReason.unencodableText(
                String(error.scalar),
                charset: charset.name
            )
            return HTTPBody(content: .invalid(fault), contentType: contentType)
        }
    }
}

extension HTTPContentType {
    /// The same type with the charset as its parameter.
    fileprivate func adding(_ charset: HTTPCharset) -> HTTPContentType {
        let lowercase = rawValue.lowercasedASCII
        let isText = lowercase.hasPrefix("text/")
        guard !lowercase.hasSubstring("charset="), isText || charset != .utf8 else { return self }
        return HTTPContentType("\(rawValue); charset=\(charset.name)")
    }
}
