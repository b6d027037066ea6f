/// The parts of a URI reference, as offsets into its bytes (RFC 3986 §3 and §4.1).
struct URIParts: Sendable {
    /// The maximum length of a URI in bytes; a limit of this package, not of the standard.
    static let maxLength = 1024 * 1024

    private(set) var scheme: Range<Int32>?
    private(set) var userinfo: Range<Int32>?
    private(set) var host: Range<Int32>?
    private(set) var isIPv6Literal = false
    /// Whether the host contains a percent triplet.
    private(set) var isHostEncoded = false
    private(set) var port: Int?
    private(set) var path: Range<Int32> = 0..<0
    private(set) var query: Range<Int32>?
    private(set) var fragment: Range<Int32>?

    /// Checks every byte and finds the parts.
    init(parsing bytes: Span<UInt8>) throws(WireError) {
        guard bytes.count <= Self.maxLength else {
            throw .invalidURI(.tooLong, offset: Self.maxLength)
        }
        var index = 0
        if let colon = Self.schemeEnd(in: bytes) {
            scheme = Self.range(0, colon)
            index = colon + 1
        }
        let isHTTP = Self.isHTTP(bytes, schemeEnd: scheme == nil ? 0 : index - 1)
        if bytes.count - index >= 2, bytes[index] == Byte.slash, bytes[index + 1] == Byte.slash {
            let start = index + 2
            index = Self.end(in: bytes, from: start) { $0 == Byte.slash || $0 == Byte.question }
            try parseAuthority(bytes, start..<index)
            if host?.isEmpty == true, isHTTP || scheme == nil {
                throw .invalidURI(.missingHost, offset: start)
            }
        } else if isHTTP {
            throw .invalidURI(.missingHost, offset: index)
        }
        let pathStart = index
        index = Self.end(in: bytes, from: index) { $0 == Byte.question }
        try Self.check(bytes, pathStart..<index, ByteClass.isPath)
        path = Self.range(pathStart, index)
        if scheme == nil, host == nil {
            for position in pathStart..<index {
                if bytes[position] == Byte.slash { break }
                if bytes[position] == Byte.colon {
                    throw .invalidURI(.invalidScheme, offset: position)
                }
            }
        }
        if index < bytes.count, bytes[index] == Byte.question {
            let start = index + 1
            index = Self.end(in: bytes, from: start) { _ in false }
            try Self.check(bytes, start..<index, ByteClass.isQuery)
            query = Self.range(start, index)
        }
        if index < bytes.count {
            try Self.check(bytes, index + 1..<bytes.count, ByteClass.isQuery)
            fragment = Self.range(index + 1, bytes.count)
        }
    }

    /// Parses userinfo, host and port (RFC 3986 §3.2).
    private mutating func parseAuthority(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(WireError) {
        var start = range.lowerBound
        for index in range where bytes[index] == Byte.at {
            try Self.check(bytes, start..<index, ByteClass.isUserinfo)
            userinfo = Self.range(start, index)
            start = index + 1
            break
        }
        var end = start
        if start < range.upperBound, bytes[start] == Byte.leftBracket {
            while end < range.upperBound, bytes[end] != Byte.rightBracket { end += 1 }
            guard end < range.upperBound,
                IPv6Syntax.isAddress(bytes.extracting(start + 1..<end)),
                end + 1 == range.upperBound || bytes[end + 1] == Byte.colon
            else { throw .invalidURI(.invalidIPv6Literal, offset: start) }
            host = Self.range(start + 1, end)
            isIPv6Literal = true
            end += 1
        } else {
            while end < range.upperBound, bytes[end] != Byte.colon { end += 1 }
            isHostEncoded = try Self.check(bytes, start..<end, ByteClass.isHost)
            host = Self.range(start, end)
        }
        guard end + 1 < range.upperBound else { return }
        let digits = bytes.extracting(end + 1..<range.upperBound)
        guard case .value(let number) = Digits.decimal(digits, upTo: 65_535) else {
            throw .invalidURI(.invalidPort, offset: end + 1)
        }
        port = number
    }

    // MARK: - Bytes

    /// Returns the index of the colon that ends the scheme; nil if the text has no scheme.
    private static func schemeEnd(in bytes: Span<UInt8>) -> Int? {
        for index in bytes.indices {
            let byte = bytes[index]
            if ByteClass.isAlpha(byte) { continue }
            guard index > 0 else { return nil }
            if byte == Byte.colon { return index }
            let isAllowed =
                ByteClass.isDigit(byte) || byte == 0x2b || byte == 0x2d || byte == Byte.dot
            guard isAllowed else { return nil }
        }
        return nil
    }

    private static func isHTTP(_ bytes: Span<UInt8>, schemeEnd: Int) -> Bool {
        let scheme = bytes.extracting(first: schemeEnd)
        return ByteClass.equalsIgnoringCase(scheme, "http".utf8.span)
            || ByteClass.equalsIgnoringCase(scheme, "https".utf8.span)
    }

    /// Returns the index where a part ends: at "#", at a byte for which `isMark` is true, or at the end.
    private static func end(
        in bytes: Span<UInt8>,
        from start: Int,
        at isMark: (UInt8) -> Bool
    ) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != Byte.hash, !isMark(bytes[index]) { index += 1 }
        return index
    }

    /// Checks that all bytes are allowed or belong to a percent triplet.
    ///
    /// - Returns: whether the bytes contain a percent triplet.
    @discardableResult
    private static func check(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ isAllowed: (UInt8) -> Bool
    ) throws(WireError) -> Bool {
        var hasTriplet = false
        for index in range where !isAllowed(bytes[index]) {
            guard bytes[index] == Byte.percent else {
                throw .invalidURI(bytes[index] > 0x7f ? .nonASCII : .forbiddenByte, offset: index)
            }
            let rest = bytes.extracting(first: range.upperBound)
            guard PercentCoding.byte(ofTripletAt: index, in: rest) != nil else {
                throw .invalidURI(.invalidPercentTriplet, offset: index)
            }
            hasTriplet = true
        }
        return hasTriplet
    }

    private static func range(_ start: Int, _ end: Int) -> Range<Int32> {
        Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: end)
    }

    // MARK: - Text typed by users

    /// Returns the range of the host in an authority; empty for a host in brackets.
    private static func nameRange(in bytes: Span<UInt8>, _ authority: Range<Int>) -> Range<Int> {
        var start = authority.lowerBound
        for index in authority where bytes[index] == Byte.at {
            start = index + 1
            break
        }
        var end = start
        if end < authority.upperBound, bytes[end] == Byte.leftBracket { return start..<start }
        while end < authority.upperBound, bytes[end] != Byte.colon { end += 1 }
        return start..<end
    }

    /// Converts the host to ASCII, and percent-encodes bytes not allowed in the path, query and fragment.
    static func percentEncoded(_ text: String) throws(WireError) -> String {
        let bytes = text.utf8.span
        var index = 0
        if let colon = schemeEnd(in: bytes) { index = colon + 1 }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var copied = 0
        if bytes.count - index >= 2, bytes[index] == Byte.slash, bytes[index + 1] == Byte.slash {
            let start = index + 2
            index = end(in: bytes, from: start) { $0 == Byte.slash || $0 == Byte.question }
            let range = nameRange(in: bytes, start..<index)
            let name = bytes.extracting(range)
            if InternationalHost.needsConversion(name) {
                for position in 0..<range.lowerBound { output.append(bytes[position]) }
                do throws(InternationalHostError) {
                    output += Array(try InternationalHost.ascii(name).utf8)
                } catch {
                    throw .invalidURI(.internationalHost(error), offset: range.lowerBound)
                }
                copied = range.upperBound
            }
        }
        for position in copied..<index { output.append(bytes[position]) }
        var isPath = true
        var isFragment = false
        while index < bytes.count {
            let byte = bytes[index]
            let isSeparator = !isFragment && (byte == Byte.hash || byte == Byte.question)
            isPath = isPath && !isSeparator
            isFragment = isFragment || byte == Byte.hash
            let isAllowed = isPath ? ByteClass.isPath(byte) : ByteClass.isQuery(byte)
            let isTriplet = PercentCoding.byte(ofTripletAt: index, in: bytes) != nil
            // A control character stays unchanged; the parser then rejects it.
            if isAllowed || isSeparator || isTriplet || byte < 0x20 || byte == Byte.delete {
                output.append(byte)
            } else {
                PercentCoding.appendTriplet(byte, to: &output)
            }
            index += 1
        }
        return String(decoding: output, as: UTF8.self)
    }
}
