internal import HTTPClient

/// A URL of the command line with its lists and ranges, in curl's syntax.
///
///     http://{one,two}.example/page[1-3]    http://a/[001-100:5].png    http://a/[a-z]
///
/// URLs are generated one at a time, and the last list or range changes fastest. Ranges of any
/// length therefore need no memory. `\{`, `\}`, `\[` and `\]` are literal, and so are an IPv6
/// address in brackets and `[]`.
package struct URLGlob: Sendable {
    /// One URL of the glob, with the values of its lists and ranges.
    package struct Match: Sendable, Hashable {
        /// The URL.
        package let url: String
        /// The values, in the order of the lists and ranges in the glob.
        package let values: [String]

        package init(url: String, values: [String] = []) {
            self.url = url
            self.values = values
        }

        /// Replaces `#1` with the first value, `#2` with the second, and so on.
        ///
        /// A number without a value is kept.
        package func filled(_ name: String) -> String {
            guard !values.isEmpty else { return name }
            var result = ""
            var rest = Substring(name)
            while let mark = rest.popFirst() {
                let digits = rest.utf8.prefix(while: Decimal.isDigit)
                if mark == "#", let number = Decimal.value(of: digits),
                    (1...values.count).contains(number)
                {
                    result += values[number - 1]
                    rest = rest[digits.endIndex...]
                } else {
                    result.append(mark)
                }
            }
            return result
        }
    }

    fileprivate enum Part: Sendable {
        case text(String)
        case list([String])
        case numbers(first: UInt64, step: UInt64, count: UInt64, width: Int)
        case letters(first: UInt8, step: UInt64, count: UInt64)

        var count: UInt64 {
            switch self {
            case .text: 1
            case .list(let items): UInt64(items.count)
            case .numbers(_, _, let count, _), .letters(_, _, let count): count
            }
        }

        func value(at index: UInt64) -> String {
            switch self {
            case .text(let text): text
            case .list(let items): items[Int(index)]
            case .numbers(let first, let step, _, let width):
                Decimal.padded(first + index * step, to: width)
            case .letters(let first, let step, _):
                String(UnicodeScalar(first + UInt8(index * step)))
            }
        }
    }

    private let parts: [Part]

    /// Parses a glob.
    ///
    /// - Throws: `.malformedURL`, with the position and a mark below it, as in curl.
    package init(_ text: String) throws(FetchError) {
        var reader = GlobParser(text)
        parts = try reader.parseAll()
    }

    /// Creates a glob of one literal URL, without lists or ranges.
    package init(literal text: String) {
        parts = [.text(text)]
    }
}

extension URLGlob: Sequence {
    /// An iterator over the URLs of a glob.
    package struct Iterator: IteratorProtocol {
        private let parts: [Part]
        private var positions: [UInt64]
        private var isOver = false

        fileprivate init(_ parts: [Part]) {
            self.parts = parts
            positions = Array(repeating: 0, count: parts.count)
        }

        package mutating func next() -> Match? {
            guard !isOver else { return nil }
            var url = ""
            var values: [String] = []
            for (part, position) in zip(parts, positions) {
                let value = part.value(at: position)
                url += value
                if case .text = part { continue }
                values.append(value)
            }
            advance()
            return Match(url: url, values: values)
        }

        private mutating func advance() {
            for index in parts.indices.reversed() {
                positions[index] += 1
                if positions[index] < parts[index].count { return }
                positions[index] = 0
            }
            isOver = true
        }
    }

    package func makeIterator() -> Iterator { Iterator(parts) }
}

/// A parser for globs that works on bytes.
private struct GlobParser {
    private let text: String
    private let bytes: [UInt8]
    private var index = 0
    private var parts: [URLGlob.Part] = []
    /// The number of URLs that the parts parsed so far generate.
    private var combinations: Int64 = 1

    /// The limit of curl, which also counts the text between lists and ranges.
    private static let maxParts = 100

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func parseAll() throws(FetchError) -> [URLGlob.Part] {
        while let byte = current {
            switch byte {
            case UInt8(ascii: "{"): try readList()
            case UInt8(ascii: "[") where lengthOfAddress == nil: try readRange()
            default: try readText()
            }
            guard parts.count < Self.maxParts else { throw failure("too many globs", at: index) }
        }
        return parts
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private func isBracket(_ byte: UInt8?) -> Bool {
        byte.map { Array("{}[]".utf8).contains($0) } ?? false
    }

    private mutating func readText() throws(FetchError) {
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "{") {
            if byte == UInt8(ascii: "[") {
                guard let length = lengthOfAddress else { break }
                text += bytes[index..<(index + length)]
                index += length
                continue
            }
            guard byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") else {
                throw failure("unmatched close brace/bracket", at: index)
            }
            if byte == UInt8(ascii: "\\"), isBracket(self.byte(at: index + 1)) { index += 1 }
            text.append(bytes[index])
            index += 1
        }
        parts.append(.text(String(decoding: text, as: UTF8.self)))
    }

    /// The length of an IPv6 address in brackets, or of `[]`, at this position; nil when there is neither.
    private var lengthOfAddress: Int? {
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
        let length = end + 1 - index
        guard length > 2 else { return length }
        guard length < 128 else { return nil }
        // The zone of a link-local address is not checked here.
        let address = bytes[(index + 1)..<end].prefix { $0 != UInt8(ascii: "%") }
        let literal = String(decoding: address, as: UTF8.self)
        return (try? URI("http://[\(literal)]/")) == nil ? nil : length
    }

    private mutating func readList() throws(FetchError) {
        let opening = index
        index += 1
        var items: [String] = []
        var item: [UInt8] = []
        while true {
            guard let byte = current else { throw failure("unmatched brace", at: opening) }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                throw failure("nested brace", at: index)
            case UInt8(ascii: "]"):
                throw failure("unexpected close bracket", at: index)
            case UInt8(ascii: "}"), UInt8(ascii: ","):
                let isEnd = byte == UInt8(ascii: "}")
                if isEnd, index == opening + 1 {
                    throw failure("empty string within braces", at: index)
                }
                items.append(String(decoding: item, as: UTF8.self))
                item = []
                index += 1
                guard isEnd else { continue }
                try add(.list(items))
                return
            case UInt8(ascii: "\\") where index + 1 < bytes.count:
                item.append(bytes[index + 1])
                index += 2
            default:
                item.append(byte)
                index += 1
            }
        }
    }

    private mutating func readRange() throws(FetchError) {
        index += 1
        let part: URLGlob.Part?
        switch current {
        case .some(let byte) where Decimal.isDigit(byte): part = readNumbers()
        case .some(let byte) where Self.isLetter(byte): part = readLetters()
        default: throw failure("bad range specification", at: index)
        }
        guard let part else { throw failure("bad range", at: index) }
        try add(part)
    }

    /// Parses `first-last]` or `first-last:step]`.
    ///
    /// - Returns: nil when there is no valid range; the position is then the one that curl reports.
    private mutating func readNumbers() -> URLGlob.Part? {
        var end = index
        let firstDigits = takeDigits(&end)
        guard let first = UInt64(firstDigits), byte(at: end) == UInt8(ascii: "-") else {
            return nil
        }
        index = end + 1
        while let byte = current, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
            index += 1
        }
        end = index
        guard let last = UInt64(takeDigits(&end)) else { return nil }
        var step: UInt64 = 1
        if byte(at: end) == UInt8(ascii: ":") {
            index = end + 1
            end = index
            step = UInt64(takeDigits(&end)) ?? 0
        }
        guard byte(at: end) == UInt8(ascii: "]") else { return nil }
        index = end + 1
        guard let count = Self.count(first, last, step) else { return nil }
        let width = firstDigits.hasPrefix("0") ? firstDigits.utf8.count : 0
        return .numbers(first: first, step: step, count: count, width: width)
    }

    /// Parses `a-z]` or `a-z:step]`, like ``readNumbers()``.
    private mutating func readLetters() -> URLGlob.Part? {
        guard let first = current, byte(at: index + 1) == UInt8(ascii: "-"),
            let last = byte(at: index + 2)
        else { return nil }
        var end = index + 3
        var step: UInt64 = 1
        if byte(at: end) == UInt8(ascii: ":") {
            end += 1
            let digits = takeDigits(&end)
            guard !digits.isEmpty else { return nil }
            step = UInt64(digits) ?? 0
        }
        guard byte(at: end) == UInt8(ascii: "]") else { return nil }
        index = end + 1
        guard last < 0x80, let count = Self.count(UInt64(first), UInt64(last), step),
            last - first <= 25
        else { return nil }
        return .letters(first: first, step: step, count: count)
    }

    private func takeDigits(_ index: inout Int) -> String {
        let start = index
        while let byte = byte(at: index), Decimal.isDigit(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Returns the number of values from `first` to `last`; nil for an empty range or a step of 0.
    ///
    /// A count of 2^64 is returned as one less; a range of that length is rejected anyway.
    private static func count(_ first: UInt64, _ last: UInt64, _ step: UInt64) -> UInt64? {
        guard first <= last, step > 0 else { return nil }
        guard first == last ? step == 1 : step <= last - first else { return nil }
        let more = (last - first) / step
        return more == .max ? more : more + 1
    }

    private mutating func add(_ part: URLGlob.Part) throws(FetchError) {
        let (product, overflows) = combinations.multipliedReportingOverflow(
            by: Int64(clamping: part.count)
        )
        guard !overflows, part.count <= Int64.max else {
            throw failure("range overflow", at: index)
        }
        combinations = product
        parts.append(part)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Returns an error that describes the fault and marks the byte, counted from 1.
    private func failure(_ reason: String, at index: Int) -> FetchError {
        FetchError(
            .malformedURL,
            "\(reason) in URL position \(index + 1):",
            marking: index,
            of: text
        )
    }
}
