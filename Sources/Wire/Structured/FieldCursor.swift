// To parse another header field, add a file to this folder, a table of rows as its test, and a line to
// `StructuredProperty` in Fuzz/Properties.

/// A parser that moves through the text of a field value, one grammar production at a time.
///
/// It works on UTF-8 bytes. Non-ASCII text is obs-text (RFC 9110 §5.5), so it is allowed only in
/// quoted strings. Every step takes time linear in the bytes it reads.
struct FieldCursor {
    private let bytes: [UInt8]
    private(set) var index = 0

    /// Starts at the first byte; returns nil if the text contains a control byte other than a tab.
    init?(_ text: String) {
        bytes = Array(text.utf8)
        // A loop over the array takes a quarter of the instructions of `allSatisfy` over the view.
        for byte in bytes where !ByteClass.isFieldValue(byte) { return nil }
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The next byte; nil at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Moves back to an earlier position.
    mutating func rewind(to position: Int) {
        index = min(position, index)
    }

    // MARK: - Separators

    /// Consumes `byte` if it is next, and returns whether it was.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// Consumes the bytes of `word` if they are next, with matching case, and returns whether they were.
    mutating func take(_ word: ByteLiteral) -> Bool {
        let end = index + word.bytes.count
        guard end <= bytes.count, bytes[index..<end].elementsEqual(word.bytes) else {
            return false
        }
        index = end
        return true
    }

    /// Skips optional whitespace.
    mutating func skipSpaces() {
        while let byte = next, ByteClass.isSpace(byte) { index += 1 }
    }

    /// Skips whitespace and commas before a list element; returns false at the end.
    mutating func skipToElement() -> Bool {
        while let byte = next, ByteClass.isSpace(byte) || byte == Byte.comma { index += 1 }
        return !isAtEnd
    }

    /// Skips whitespace and returns whether the element ends, at a comma or at the end of the text.
    mutating func isAtElementEnd() -> Bool {
        skipSpaces()
        return isAtEnd || next == Byte.comma
    }

    /// Skips everything up to the next comma, even a quoted one.
    mutating func skipElement() {
        while let byte = next, byte != Byte.comma { index += 1 }
    }

    // MARK: - Words

    /// Reads the longest run of bytes of a class; the run may be empty.
    mutating func run(while isMember: (UInt8) -> Bool) -> String {
        let start = index
        while let byte = next, isMember(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Reads a token (RFC 9110 §5.6.2); returns nil if there is none.
    mutating func token() -> String? {
        let word = run(while: ByteClass.isToken)
        return word.isEmpty ? nil : word
    }

    /// Reads a quoted-string (§5.6.4), and removes quotes and backslashes.
    ///
    /// Returns nil without moving if there is none, or if its end is missing.
    mutating func quotedString() -> String? {
        guard next == Byte.quote else { return nil }
        var output: [UInt8] = []
        var position = index + 1
        while position < bytes.count, bytes[position] != Byte.quote {
            if bytes[position] == Byte.backslash { position += 1 }
            guard position < bytes.count else { return nil }
            output.append(bytes[position])
            position += 1
        }
        guard position < bytes.count else { return nil }
        index = position + 1
        return String(decoding: output, as: UTF8.self)
    }

    /// Reads a token or a quoted-string; returns nil if there is neither.
    mutating func tokenOrQuotedString() -> String? {
        next == Byte.quote ? quotedString() : token()
    }

    /// Reads decimal digits; `.malformed` if there are none.
    mutating func number(upTo bound: Int = .max) -> Digits.Number {
        let digits = run(while: ByteClass.isDigit)
        return Digits.decimal(digits, upTo: bound)
    }

    /// Reads exactly `count` decimal digits; returns nil without moving if there are fewer.
    mutating func digits(_ count: Int) -> Int? {
        guard count <= bytes.count - index,
            case .value(let value) = Digits.decimal(bytes.span.extracting(index..<(index + count)))
        else { return nil }
        index += count
        return Int(exactly: value)
    }

    // MARK: - Parameters

    /// Reads parameters (RFC 9110 §5.6.6); their names are in lower case.
    ///
    /// Empty parameters (";;") are skipped. Returns nil if a semicolon is followed by something other
    /// than a parameter. The cursor stops after the last parameter.
    mutating func parameters(
        _ spacing: Spacing = .none,
        _ place: Place = .inList
    ) -> [FieldParameter]? {
        var parameters: [FieldParameter] = []
        while skipSemicolon() {
            guard next != Byte.semicolon, !isAtElementEnd() else { continue }
            guard let parameter = parameter(spacing, place) else { return nil }
            parameters.append(parameter)
        }
        return parameters
    }

    /// Reads one `name=value`; returns nil if there is none.
    mutating func parameter(_ spacing: Spacing, _ place: Place = .inList) -> FieldParameter? {
        guard let name = token() else { return nil }
        if spacing == .aroundEquals { skipSpaces() }
        guard take(Byte.equals) else { return nil }
        if spacing == .aroundEquals { skipSpaces() }
        let isExtended = name.utf8.last == Byte.asterisk && next != Byte.quote
        guard let value = isExtended ? extendedValue(place) : tokenOrQuotedString() else {
            return nil
        }
        return FieldParameter(parsed: name, value)
    }

    /// Reads the value of a parameter whose name ends in "*" (RFC 8187 §3.2); nil if there is none.
    ///
    /// It may contain more than a token; see ``ExtendedValue/isBare(_:)``.
    private mutating func extendedValue(_ place: Place) -> String? {
        let value = run { byte in
            byte == Byte.percent
                || ExtendedValue.isBare(byte) && (byte != Byte.comma || place == .alone)
        }
        return value.isEmpty ? nil : value
    }

    /// Skips whitespace, a semicolon and whitespace; does not move if there is no semicolon.
    mutating func skipSemicolon() -> Bool {
        let start = index
        skipSpaces()
        guard take(Byte.semicolon) else {
            index = start
            return false
        }
        skipSpaces()
        return true
    }

    /// The places where whitespace is allowed in a parameter.
    enum Spacing {
        case none
        /// The "bad whitespace" that some fields tolerate (RFC 9110 §5.6.3).
        case aroundEquals
    }

    /// Where a parameter is.
    enum Place {
        /// In an element of a list, which ends at a comma.
        case inList
        /// In a field that is no list, so that a comma has no meaning.
        case alone
    }
}

/// The bytes of a literal.
struct ByteLiteral: ExpressibleByStringLiteral {
    let bytes: [UInt8]

    init(stringLiteral value: String) {
        bytes = Array(value.utf8)
    }
}
