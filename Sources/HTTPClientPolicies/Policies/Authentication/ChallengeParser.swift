package import Wire

/// A lenient parser of challenges, which also accepts a missing quote or comma.
package enum ChallengeParser {
    /// Parses the lines of WWW-Authenticate or Proxy-Authenticate.
    ///
    /// A line that breaks the grammar (RFC 9110 §11.6.1) is parsed leniently. Parameters need no comma
    /// between them. A value without quotes ends at a comma or before the next parameter. A quoted value
    /// without a closing quote ends with the line.
    ///
    /// - Parameter lines: the value of each field line.
    /// - Returns: all challenges in order.
    package static func parse(_ lines: [String]) -> [Challenge] {
        lines.flatMap { line in
            let line = quotingQopList(line)
            let strict = Challenge.list([line])
            var reader = Reader(line)
            let loose = reader.challenges()
            // The strict parser omits damaged challenges and everything after them.
            return loose.count > strict.count ? loose : strict
        }
    }

    /// Adds quotes around an unquoted list after `qop=`.
    ///
    /// The word after the comma of such a list is a value and not the scheme of another challenge.
    private static func quotingQopList(_ line: String) -> String {
        guard line.utf8.contains(UInt8(ascii: ",")) else { return line }
        var reader = Reader(line)
        guard let list = reader.unquotedQopList() else { return line }
        let bytes = Array(line.utf8)
        let quote = [UInt8(ascii: "\"")]
        let quoted = bytes[..<list.lowerBound] + quote + bytes[list] + quote
        return String(decoding: quoted + bytes[list.upperBound...], as: UTF8.self)
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var index = 0

        init(_ line: String) {
            bytes = Array(line.utf8)
        }

        mutating func challenges() -> [Challenge] {
            var list: [Challenge] = []
            var open: (scheme: String, parameters: [FieldParameter])?
            while true {
                skip { Self.isSpace($0) || $0 == Self.comma }
                guard index < bytes.count else { break }
                if let (name, value) = parameter() {
                    if let parameter = FieldParameter(name, value) {
                        open?.parameters.append(parameter)
                    }
                    continue
                }
                let word = run(while: Self.isToken)
                if !word.isEmpty {
                    list += Self.closed(open)
                    open = (word, [])
                    skip(Self.isSpace)
                    let behind = index
                    let isParameter = parameter() != nil
                    index = behind
                    if isParameter { continue }
                }
                // The text up to the comma is a token68, which no supported challenge has, or invalid.
                skip { $0 != Self.comma }
            }
            return list + Self.closed(open)
        }

        /// Returns the range of an unquoted list of qop values (RFC 7616 §3.3).
        ///
        /// Each byte is read a limited number of times, whatever the server sends.
        mutating func unquotedQopList() -> Range<Int>? {
            while index < bytes.count {
                guard let (name, value) = parameter() else {
                    skipElementPart()
                    continue
                }
                let end = index
                guard name.lowercasedASCII == "qop", Self.isQopValue(value),
                    bytes[end - 1] != Self.quote
                else { continue }
                var last = end
                while index < bytes.count, bytes[index] == Self.comma {
                    skip { Self.isSpace($0) || $0 == Self.comma }
                    guard Self.isQopValue(run(while: Self.isToken)) else { break }
                    last = index
                    skip(Self.isSpace)
                }
                index = end
                guard last > end else { continue }
                let valueEnd = bytes[..<end].lastIndex { !Self.isSpace($0) } ?? end
                return (valueEnd + 1 - value.utf8.count)..<last
            }
            return nil
        }

        /// Skips what is not a parameter: a run of spaces, a quoted value, a word or one other byte.
        ///
        /// The rest of a word that is not a name is not a name either, so it is not tried again.
        private mutating func skipElementPart() {
            let start = index
            if bytes[start] == Self.quote {
                _ = quotedValue()
                return
            }
            skip(Self.isSpace)
            if index == start { skip(Self.isToken) }
            if index == start { index += 1 }
        }

        private static func isQopValue(_ word: String) -> Bool {
            ["auth", "auth-int"].contains(word.lowercasedASCII)
        }

        private static func closed(
            _ open: (scheme: String, parameters: [FieldParameter])?
        ) -> [Challenge] {
            open.flatMap { Challenge(scheme: $0.scheme, parameters: $0.parameters) }.map { [$0] }
                ?? []
        }

        /// Reads a name, an equals sign and a value; returns nil and keeps its position if there are none.
        private mutating func parameter() -> (String, String)? {
            let start = index
            let name = run(while: Self.isToken)
            skip(Self.isSpace)
            guard !name.isEmpty, index < bytes.count, bytes[index] == Self.equals else {
                index = start
                return nil
            }
            index += 1
            skip(Self.isSpace)
            guard index < bytes.count, bytes[index] == Self.quote else {
                return (name, plainValue())
            }
            return (name, quotedValue())
        }

        private mutating func plainValue() -> String {
            let start = index
            var end = index
            while index < bytes.count, bytes[index] != Self.comma {
                if Self.isSpace(bytes[index]) {
                    skip(Self.isSpace)
                    if isAtParameter { break }
                } else {
                    index += 1
                    end = index
                }
            }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }

        /// Whether `name=` comes next.
        private var isAtParameter: Bool {
            var rest = bytes[index...].drop(while: Self.isToken)
            guard rest.startIndex > index else { return false }
            rest = rest.drop(while: Self.isSpace)
            return rest.first == Self.equals
        }

        private mutating func quotedValue() -> String {
            var value: [UInt8] = []
            index += 1
            while index < bytes.count, bytes[index] != Self.quote {
                if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
                value.append(bytes[index])
                index += 1
            }
            index = min(index + 1, bytes.count)
            return String(decoding: value, as: UTF8.self)
        }

        private mutating func run(while isMember: (UInt8) -> Bool) -> String {
            let start = index
            skip(isMember)
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }

        private mutating func skip(_ isMember: (UInt8) -> Bool) {
            while index < bytes.count, isMember(bytes[index]) { index += 1 }
        }

        private static let comma = UInt8(ascii: ",")
        private static let equals = UInt8(ascii: "=")
        private static let quote = UInt8(ascii: "\"")

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

        /// Returns whether the byte is allowed in a token (RFC 9110 §5.6.2), in constant time.
        private static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "|"),
                UInt8(ascii: "~"), UInt8(ascii: "^")...UInt8(ascii: "z"):
                // The last range contains "^", "_", "`" and the lower-case letters.
                true
            default: false
            }
        }
    }
}
