internal import Wire

/// A strict parser of JSON text (RFC 8259).
///
/// It keeps open containers on its own stack, so deep nesting does not use the call stack.
struct JSONParser {
    /// An array or object whose end has not been read.
    private struct OpenContainer {
        let isObject: Bool
        var elements: [HTTPJSON] = []
        var members: [HTTPJSON.Member] = []
        /// The name of the member whose value is being read; nil outside of values.
        var name: String?

        init(isObject: Bool) {
            self.isObject = isObject
        }

        var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

        var value: HTTPJSON { isObject ? .object(members) : .array(elements) }

        mutating func append(_ value: HTTPJSON) {
            if let name {
                members.append(HTTPJSON.Member(name, value))
                self.name = nil
            } else {
                elements.append(value)
            }
        }
    }

    private let maxDepth: Int
    private var position = 0
    private var open: [OpenContainer] = []

    private init(maxDepth: Int) {
        self.maxDepth = min(maxDepth, JSONEncoding.maxDepth)
    }

    /// Parses text that consists of one value.
    static func parse(
        _ input: Span<UInt8>,
        maxDepth: Int
    ) throws(HTTPJSON.ParsingError) -> HTTPJSON {
        var parsing = JSONParser(maxDepth: maxDepth)
        return try parsing.text(input)
    }

    private mutating func text(_ input: Span<UInt8>) throws(HTTPJSON.ParsingError) -> HTTPJSON {
        if input.count >= 3, input[0] == 0xEF, input[1] == 0xBB, input[2] == 0xBF {
            throw failure(.byteOrderMark)
        }
        while true {
            guard let first = try begin(input) else { continue }
            // The value may complete its container, which may complete the container around it, and so on.
            if let whole = try put(first, input) { return whole }
        }
    }

    /// Adds a value to its container, and returns the whole value when it is complete.
    private mutating func put(
        _ first: HTTPJSON,
        _ input: Span<UInt8>
    ) throws(HTTPJSON.ParsingError) -> HTTPJSON? {
        var value = first
        while !open.isEmpty {
            open[open.count - 1].append(value)
            let byte = try next(input)
            if byte == UInt8(ascii: ",") {
                position += 1
                if open[open.count - 1].isObject { try readName(input) }
                return nil
            }
            guard byte == open[open.count - 1].end else { throw failure(.unexpectedByte(byte)) }
            position += 1
            value = open.removeLast().value
        }
        skipSpace(input)
        guard position == input.count else { throw failure(.trailingBytes) }
        return value
    }

    /// Reads a value that has no elements, or opens a container.
    ///
    /// - Returns: nil when a container was opened and its first element follows.
    private mutating func begin(_ input: Span<UInt8>) throws(HTTPJSON.ParsingError) -> HTTPJSON? {
        let byte = try next(input)
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard open.count < maxDepth else { throw failure(.tooDeep(limit: maxDepth)) }
            position += 1
            open.append(OpenContainer(isObject: byte == UInt8(ascii: "{")))
            if try next(input) == open[open.count - 1].end {
                position += 1
                return open.removeLast().value
            }
            if open[open.count - 1].isObject { try readName(input) }
            return nil
        case UInt8(ascii: "\""):
            position += 1
            return .string(try string(input))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(input)
        case UInt8(ascii: "t"): return try word("true", .bool(true), input)
        case UInt8(ascii: "f"): return try word("false", .bool(false), input)
        case UInt8(ascii: "n"): return try word("null", .null, input)
        default: throw failure(.unexpectedByte(byte))
        }
    }

    /// Reads the name of a member and its colon.
    private mutating func readName(_ input: Span<UInt8>) throws(HTTPJSON.ParsingError) {
        try expect(UInt8(ascii: "\""), input)
        let name = try string(input)
        try expect(UInt8(ascii: ":"), input)
        open[open.count - 1].name = name
    }

    // MARK: - Literals and numbers

    private mutating func word(
        _ word: StaticString,
        _ value: HTTPJSON,
        _ input: Span<UInt8>
    ) throws(HTTPJSON.ParsingError) -> HTTPJSON {
        for byte in "\(word)".utf8 {
            guard position < input.count else { throw failure(.unexpectedEnd) }
            guard input[position] == byte else { throw failure(.unexpectedByte(input[position])) }
            position += 1
        }
        return value
    }

    /// Reads a number, after a syntax check, because Swift accepts more than JSON allows.
    private mutating func number(_ input: Span<UInt8>) throws(HTTPJSON.ParsingError) -> HTTPJSON {
        let start = position
        let isNegative = input[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let isZero = peek(input) == UInt8(ascii: "0")
        let digits = try skipDigits(input)
        guard !isZero || digits == 1 else { throw failure(.malformedNumber, at: start) }
        var isWhole = true
        if peek(input) == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            _ = try skipDigits(input)
        }
        if let byte = peek(input), byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if let sign = peek(input), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                position += 1
            }
            _ = try skipDigits(input)
        }
        // The common case, without text: a value that Int has. -0 is no integer.
        if isWhole,
            case .value(let value) = Digits.decimal(
                input.extracting((isNegative ? start + 1 : start)..<position)
            ), !isNegative || value != 0
        {
            return .integer(isNegative ? -value : value)
        }
        let text = try checked(input.extracting(start..<position), start)
        if isWhole, text != "-0" {
            if let integer = Int(text) { return .integer(integer) }
            if let unsigned = UInt(text) { return .unsigned(unsigned) }
        }
        guard let number = Double(text), number.isFinite else {
            throw failure(.numberTooLarge, at: start)
        }
        return .number(number)
    }

    /// Skips one or more digits and returns their number.
    private mutating func skipDigits(_ input: Span<UInt8>) throws(HTTPJSON.ParsingError) -> Int {
        let start = position
        while let byte = peek(input), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
        }
        guard position > start else {
            throw failure(position < input.count ? .malformedNumber : .unexpectedEnd)
        }
        return position - start
    }

    // MARK: - Strings

    /// Reads the rest of a string, after its opening quotation mark.
    private mutating func string(_ input: Span<UInt8>) throws(HTTPJSON.ParsingError) -> String {
        var text = ""
        while true {
            let start = position
            while let byte = peek(input), byte >= 0x20, byte != UInt8(ascii: "\""),
                byte != UInt8(ascii: "\\")
            {
                position += 1
            }
            if position > start {
                let piece = try checked(input.extracting(start..<position), start)
                // Most strings have no escapes.
                if text.isEmpty { text = piece } else { text += piece }
            }
            switch peek(input) {
            case nil: throw failure(.unexpectedEnd)
            case UInt8(ascii: "\""):
                position += 1
                return text
            case UInt8(ascii: "\\"): text.unicodeScalars.append(try escaped(input))
            case let byte?: throw failure(.controlCharacter(byte))
            }
        }
    }

    private func checked(
        _ piece: Span<UInt8>,
        _ start: Int
    ) throws(HTTPJSON.ParsingError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: piece))
        } catch {
            throw failure(.invalidUTF8, at: start + error.byteOffsets.lowerBound)
        }
    }

    private mutating func escaped(
        _ input: Span<UInt8>
    ) throws(HTTPJSON.ParsingError) -> UnicodeScalar {
        let start = position
        position += 1
        guard let letter = peek(input) else { throw failure(.unexpectedEnd) }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return UnicodeScalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw failure(.invalidEscape, at: start)
        }
        let first = try hexDigits(input, start)
        guard first & 0xF800 == 0xD800 else {
            return UnicodeScalar(first) ?? "\u{FFFD}"
        }
        // A character beyond U+FFFF is written as two escapes, the high surrogate first (RFC 8259 §7).
        guard first < 0xDC00, peek(input) == UInt8(ascii: "\\") else {
            throw failure(.loneSurrogate, at: start)
        }
        position += 1
        guard peek(input) == UInt8(ascii: "u") else { throw failure(.loneSurrogate, at: start) }
        position += 1
        let second = try hexDigits(input, start)
        guard second & 0xFC00 == 0xDC00 else { throw failure(.loneSurrogate, at: start) }
        let value = 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
        return UnicodeScalar(value) ?? "\u{FFFD}"
    }

    private mutating func hexDigits(
        _ input: Span<UInt8>,
        _ start: Int
    ) throws(HTTPJSON.ParsingError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(input) else { throw failure(.unexpectedEnd) }
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw failure(.invalidEscape, at: start)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: - Bytes

    private func peek(_ input: Span<UInt8>) -> UInt8? {
        position < input.count ? input[position] : nil
    }

    private mutating func skipSpace(_ input: Span<UInt8>) {
        while let byte = peek(input), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 9 {
            position += 1
        }
    }

    /// Skips whitespace and returns the next byte without consuming it.
    private mutating func next(_ input: Span<UInt8>) throws(HTTPJSON.ParsingError) -> UInt8 {
        skipSpace(input)
        guard let byte = peek(input) else { throw failure(.unexpectedEnd) }
        return byte
    }

    private mutating func expect(
        _ wanted: UInt8,
        _ input: Span<UInt8>
    ) throws(HTTPJSON.ParsingError) {
        let byte = try next(input)
        guard byte == wanted else { throw failure(.unexpectedByte(byte)) }
        position += 1
    }

    private func failure(
        _ reason: HTTPJSON.ParsingError.Reason,
        at offset: Int? = nil
    ) -> HTTPJSON.ParsingError {
        let steps = open.compactMap { open -> JSONEncoding.Step? in
            open.isObject ? open.name.map { .name($0) } : .index(open.elements.count)
        }
        return HTTPJSON.ParsingError(
            reason,
            offset: offset ?? position,
            path: JSONEncoding.path(steps)
        )
    }
}
