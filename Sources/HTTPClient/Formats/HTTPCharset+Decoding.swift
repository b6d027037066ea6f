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
