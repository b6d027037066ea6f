/// Walks through the text of a field value, one production of the grammar at a time.
///
/// It works on UTF-8 bytes. Text outside ASCII is what RFC 9110 §5.5 calls obs-text, so it may
/// stand in quoted strings and nowhere else. Every step takes time linear in what it reads.
struct FieldCursor {
    private let bytes: [UInt8]
    private(set) var index = 0

    /// Begins at the first byte; nil when the text holds a control byte other than a tab.
    init?(_ text: String) {
        guard text.utf8.allSatisfy(ByteClass.isFieldValue) else { return nil }
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The byte that comes next; nil at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Goes back to a place where the cursor has been.
    mutating func rewind(to position: Int) {
        index = min(position, index)
    }

    // MARK: - Separators

    /// Passes `byte` if it comes next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// Passes the bytes of `word` if they come next, in that case.
    mutating func take(_ word: ByteLiteral) -> Bool {
        let end = index + word.bytes.count
        guard end <= bytes.count, bytes[index..<end].elementsEqual(word.bytes) else {
            return false
        }
        index = end
        return true
    }

    /// Passes optional whitespace.
    mutating func skipSpaces() {
        while let byte = next, ByteClass.isSpace(byte) { index += 1 }
    }

    /// Passes the whitespace and the commas in front of a list element; false at the end.
    mutating func skipToElement() -> Bool {
        while let byte = next, ByteClass.isSpace(byte) || byte == Byte.comma { index += 1 }
        return !isAtEnd
    }

    /// Passes whitespace, and says whether the element ends there: at a comma or at the end.
    mutating func isAtElementEnd() -> Bool {
        skipSpaces()
        return isAtEnd || next == Byte.comma
    }

    /// Passes everything up to the next comma, quoted or not.
    mutating func skipElement() {
        while let byte = next, byte != Byte.comma { index += 1 }
    }

    // MARK: - Words

    /// Reads the longest run of bytes of a class, perhaps none.
    mutating func run(while isMember: (UInt8) -> Bool) -> String {
        let start = index
        while let byte = next, isMember(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Reads a token (RFC 9110 §5.6.2); nil when none comes next.
    mutating func token() -> String? {
        let word = run(while: ByteClass.isToken)
        return word.isEmpty ? nil : word
    }

    /// Reads a quoted-string (§5.6.4) without quotes and backslashes.
    ///
    /// Nil, without moving, when none comes next or its end is missing.
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

    /// Reads a token or a quoted-string; nil when neither comes next.
    mutating func tokenOrQuotedString() -> String? {
        next == Byte.quote ? quotedString() : token()
    }

    /// Reads the decimal digits that come next; malformed when there are none.
    mutating func number(upTo bound: Int = .max) -> Digits.Number {
        let digits = run(while: ByteClass.isDigit)
        return Digits.decimal(digits, upTo: bound)
    }

    /// Reads exactly `count` decimal digits; nil, without moving, when there are fewer.
    mutating func digits(_ count: Int) -> Int? {
        guard count <= bytes.count - index,
            case .value(let value) = Digits.decimal(bytes.span.extracting(index..<(index + count)))
        else { return nil }
        index += count
        return Int(exactly: value)
    }

    // MARK: - Parameters

    /// Reads the parameters that come next (RFC 9110 §5.6.6), names in lower case.
    ///
    /// Empty parameters (";;") are passed over. Nil when something behind a semicolon is not a
    /// parameter; what follows the last one is left to the caller.
    mutating func parameters(_ spacing: Spacing = .none) -> [FieldParameter]? {
        var parameters: [FieldParameter] = []
        while skipSemicolon() {
            guard next != Byte.semicolon, !isAtElementEnd() else { continue }
            guard let parameter = parameter(spacing) else { return nil }
            parameters.append(parameter)
        }
        return parameters
    }

    /// Reads one `name=value`; nil when none comes next.
    mutating func parameter(_ spacing: Spacing) -> FieldParameter? {
        guard let name = token() else { return nil }
        if spacing == .aroundEquals { skipSpaces() }
        guard take(Byte.equals) else { return nil }
        if spacing == .aroundEquals { skipSpaces() }
        guard let value = tokenOrQuotedString() else { return nil }
        return FieldParameter(parsed: name, value)
    }

    /// Passes whitespace, a semicolon and whitespace; does not move when there is no semicolon.
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

    /// Says where whitespace may stand in a parameter.
    enum Spacing {
        case none
        /// The "bad whitespace" that some fields tolerate (RFC 9110 §5.6.3).
        case aroundEquals
    }
}

/// Holds the bytes of a literal word.
struct ByteLiteral: ExpressibleByStringLiteral {
    let bytes: [UInt8]

    init(stringLiteral value: String) {
        bytes = Array(value.utf8)
    }
}
