internal import SocketTransport
internal import Wire

/// A charset of text (RFC 9110 §8.3.2).
///
/// Servers still send only a few charsets. Others are not supported, because a guess would produce wrong
/// text.
public struct HTTPCharset: Sendable, Hashable {
    package enum Coding: Sendable, Hashable {
        case utf8
        case ascii
        case latin1
        case windows1252
        case utf16
        case utf16BigEndian
        case utf16LittleEndian
    }

    package let coding: Coding

    /// The charset's name in the header field Content-Type (RFC 9110 §8.3.2).
    public let name: String

    private init(coding: Coding, name: String) {
        self.coding = coding
        self.name = name
    }

    /// UTF-8, which encodes every character and which every receiver understands.
    public static let utf8 = HTTPCharset(coding: .utf8, name: "utf-8")
    /// US-ASCII: U+0000 to U+007F.
    public static let ascii = HTTPCharset(coding: .ascii, name: "us-ascii")
    /// ISO 8859-1: U+0000 to U+00FF.
    public static let latin1 = HTTPCharset(coding: .latin1, name: "iso-8859-1")
    /// Windows-1252: ISO 8859-1 with 27 more characters, such as the euro sign.
    public static let windows1252 = HTTPCharset(coding: .windows1252, name: "windows-1252")
    /// UTF-16 with a byte order mark (RFC 2781 §3.3).
    ///
    /// Text is encoded with the more significant byte first. Text without a mark is decoded in that order
    /// (§4.3).
    public static let utf16 = HTTPCharset(coding: .utf16, name: "utf-16")
    /// UTF-16 with the more significant byte first, without a byte order mark (RFC 2781 §3.3).
    public static let utf16BigEndian = HTTPCharset(coding: .utf16BigEndian, name: "utf-16be")
    /// UTF-16 with the less significant byte first, without a byte order mark (RFC 2781 §3.3).
    public static let utf16LittleEndian = HTTPCharset(coding: .utf16LittleEndian, name: "utf-16le")

    /// Creates a charset from one of its registered names, ignoring ASCII case; nil for other charsets.
    public init?(_ name: String) {
        switch name.lowercasedASCII {
        case "utf-8", "utf8", "csutf8": self = .utf8
        case "us-ascii", "ascii", "iso646-us", "ansi_x3.4-1968", "iso-ir-6", "csascii":
            self = .ascii
        case "iso-8859-1", "iso_8859-1", "latin1", "l1", "iso-ir-100", "ibm819", "cp819",
            "csisolatin1":
            self = .latin1
        case "windows-1252", "cp1252", "cswindows1252": self = .windows1252
        case "utf-16", "csutf16": self = .utf16
        case "utf-16be", "csutf16be": self = .utf16BigEndian
        case "utf-16le", "csutf16le": self = .utf16LittleEndian
        default: return nil
        }
    }

    /// Encodes text.
    ///
    /// - Throws: the first character that the charset cannot encode.
    package func encode(_ text: String) throws(EncodeError) -> [UInt8] {
        switch coding {
        case .utf8: return Array(text.utf8)
        case .ascii: return try encodeBytes(text) { $0 < 0x80 ? UInt8($0) : nil }
        case .latin1: return try encodeBytes(text) { UInt8(exactly: $0) }
        case .windows1252: return try encodeBytes(text, Self.windows1252Byte)
        case .utf16: return [0xFE, 0xFF] + Self.bigEndian(text)
        case .utf16BigEndian: return Self.bigEndian(text)
        case .utf16LittleEndian:
            return text.utf16.flatMap { unit in
                [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
            }
        }
    }

    private static func bigEndian(_ text: String) -> [UInt8] {
        text.utf16.flatMap { unit in
            [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
        }
    }

    /// Encodes each scalar as one byte.
    private func encodeBytes(
        _ text: String,
        _ byte: (UInt32) -> UInt8?
    ) throws(EncodeError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = byte(scalar.value) else { throw EncodeError(scalar: scalar) }
            bytes.append(byte)
        }
        return bytes
    }

    /// A character that the charset cannot encode.
    package struct EncodeError: Error {
        package let scalar: Unicode.Scalar
    }

    private static func windows1252Byte(_ code: UInt32) -> UInt8? {
        if let byte = UInt8(exactly: code), !(0x80..<0xA0).contains(byte) { return byte }
        guard code > 0xFF, let code = UInt16(exactly: code) else { return nil }
        return windows1252Specials.firstIndex(of: code).map { UInt8(0x80 + $0) }
    }

    /// Characters of the bytes 80 to 9F; 0 for the five that are undefined.
    static let windows1252Specials: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]
}

extension HTTPContentType {
    /// Returns the type with the charset as its parameter, unless it needs none.
    package func adding(_ charset: HTTPCharset) -> HTTPContentType {
        let lowercase = rawValue.lowercasedASCII
        let isText = lowercase.hasPrefix("text/")
        guard !lowercase.hasSubstring("charset="), isText || charset != .utf8 else { return self }
        return HTTPContentType("\(rawValue); charset=\(charset.name)")
    }
}

extension HTTPCharset {
    /// Decodes text and replaces invalid bytes with U+FFFD.
    ///
    /// - Parameters:
    ///   - bytes: the text, which may begin with a byte order mark. The mark is not part of the result.
    ///   - errorOffset: set to the offset of the first invalid byte, counted from 0.
    /// - Returns: the decoded text.
    package func decode(_ bytes: [UInt8], errorOffset: inout Int?) -> String {
        switch coding {
        case .utf8: Self.utf8Text(bytes, &errorOffset)
        case .ascii: Self.singleBytes(bytes, &errorOffset) { $0 < 0x80 ? Unicode.Scalar($0) : nil }
        case .latin1: Self.singleBytes(bytes, &errorOffset) { Unicode.Scalar($0) }
        case .windows1252: Self.singleBytes(bytes, &errorOffset, Self.windows1252)
        case .utf16:
            switch (bytes.first, bytes.dropFirst().first) {
            case (0xFF, 0xFE): Self.utf16Text(bytes, from: 2, .little, &errorOffset)
            case (0xFE, 0xFF): Self.utf16Text(bytes, from: 2, .big, &errorOffset)
            default: Self.utf16Text(bytes, from: 0, .big, &errorOffset)
            }
        case .utf16BigEndian:
            Self.utf16Text(
                bytes,
                from: bytes.starts(with: [0xFE, 0xFF]) ? 2 : 0,
                .big,
                &errorOffset
            )
        case .utf16LittleEndian:
            Self.utf16Text(
                bytes,
                from: bytes.starts(with: [0xFF, 0xFE]) ? 2 : 0,
                .little,
                &errorOffset
            )
        }
    }

    private enum Order {
        case big
        case little
    }

    private static func utf8Text(_ bytes: [UInt8], _ errorOffset: inout Int?) -> String {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if let text = String(validating: bytes[start...], as: UTF8.self) { return text }
        var place = start
        var iterator = bytes[start...].makeIterator()
        var decoder = Unicode.UTF8.ForwardParser()
        scanning: while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): place += scalar.count
            case .error, .emptyInput: break scanning
            }
        }
        errorOffset = place
        return String(decoding: bytes[start...], as: UTF8.self)
    }

    private static func singleBytes(
        _ bytes: [UInt8],
        _ errorOffset: inout Int?,
        _ scalar: (UInt8) -> Unicode.Scalar?
    ) -> String {
        var text = String.UnicodeScalarView()
        for (place, byte) in bytes.enumerated() {
            if let scalar = scalar(byte) {
                text.append(scalar)
            } else {
                if errorOffset == nil { errorOffset = place }
                text.append("\u{FFFD}")
            }
        }
        return String(text)
    }

    private static func utf16Text(
        _ bytes: [UInt8],
        from start: Int,
        _ order: Order,
        _ errorOffset: inout Int?
    ) -> String {
        var units: [UInt16] = []
        units.reserveCapacity((bytes.count - start) / 2)
        var place = start
        while place + 1 < bytes.count {
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            units.append(order == .big ? first << 8 | second : second << 8 | first)
            place += 2
        }
        var text = String.UnicodeScalarView()
        var iterator = units.makeIterator()
        var decoder = Unicode.UTF16.ForwardParser()
        var unit = 0
        scanning: while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar):
                text.append(Unicode.UTF16.decode(scalar))
                unit += scalar.count
            case .error(let length):
                if errorOffset == nil { errorOffset = start + 2 * unit }
                text.append("\u{FFFD}")
                unit += length
            case .emptyInput: break scanning
            }
        }
        if place < bytes.count {
            if errorOffset == nil { errorOffset = place }
            text.append("\u{FFFD}")
        }
        return String(text)
    }

    private static func windows1252(_ byte: UInt8) -> Unicode.Scalar? {
        guard (0x80..<0xA0).contains(byte) else { return Unicode.Scalar(byte) }
        let code = windows1252Specials[Int(byte) - 0x80]
        return code == 0 ? nil : Unicode.Scalar(code)
    }
}
