internal import SocketTransport
internal import Wire

// To update the table, run `Tests/PublicSuffixes/make-suffixes`, whose doc comment explains it. The test is
// `PublicSuffixListTests`.

/// A list of the domains below which many owners register names, such as `co.uk` and `github.io`.
///
/// A cookie for such a domain would be sent to unrelated owners, so jars reject it (RFC 6265bis §5.7).
///
///     let list = PublicSuffixList.system
///     list.isPublicSuffix("co.uk")                      // true
///     list.registrableDomain(of: "www.example.co.uk")   // "example.co.uk"
///
/// The rules are those of <https://publicsuffix.org>, both of registries (ICANN) and of private
/// operators. A name of one label that no rule matches is a public suffix as well.
///
/// Names are in lower case, and international names are in their `xn--` form. A trailing dot does not
/// matter.
public struct PublicSuffixList: Sendable {
    enum Rule: Sendable {
        /// The name itself.
        case plain
        /// Every name directly below it.
        case wildcard
        /// The name itself, and every name directly below it.
        case both
        /// Not the name itself, even if a wildcard matches it.
        case exception
    }

    enum Rules: Sendable {
        /// Rules by name, without `*.` and `!`.
        case parsed([String: Rule])
        /// The built-in list of the library.
        case table(SuffixTable)
    }

    let rules: Rules
    /// The time when the list was published, such as `2026-10-22_08-36-41_UTC`.
    ///
    /// Nil when the list has no line `// VERSION:`. A newer version sorts after an older one.
    public let version: String?

    /// The path of the list in Debian's package `publicsuffix` and in related distributions.
    public static let systemPath = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// The newer one of ``builtIn`` and the list of the machine at ``systemPath``.
    ///
    /// The machine's list is used only if it has a newer ``version``. A list without a version is older than
    /// every list published since 2024. The file is read once, on first use.
    public static let system: PublicSuffixList = newest(systemPath)

    /// The complete list as of this version of the library.
    ///
    /// It is part of the library, so a jar does not depend on installed files. It takes 80 KiB of the
    /// program and no time to load.
    public static let builtIn = PublicSuffixList(.embedded)

    /// Returns the list at a path if it is newer than ``builtIn``, and ``builtIn`` otherwise.
    package static func newest(_ path: String) -> PublicSuffixList {
        guard let bytes = try? FileContents.read(path, limit: maxFileBytes),
            let version = version(of: bytes), version > SuffixTable.embedded.version
        else { return builtIn }
        let list = PublicSuffixList(parsing: bytes)
        return list.isEmpty ? builtIn : list
    }

    /// The maximum size of a file of rules, in bytes.
    private static let maxFileBytes = 16 << 20

    /// Parses rules in the format of the public list: one rule per line, `//` before a comment.
    ///
    /// Parsing never fails: a line that is not a rule is skipped.
    public init(parsing text: String) {
        self.init(parsing: Array(text.utf8))
    }

    /// Reads a file of rules.
    ///
    /// - Throws: `.fileFailed` when it cannot be read, is larger than 16 MiB, or has no rule.
    public init(contentsOf path: String) throws(HTTPError) {
        self.init(parsing: try FileContents.read(path, limit: Self.maxFileBytes))
        guard !isEmpty else { throw FileContents.error(path, .read, "it has no rules") }
    }

    /// Creates a list from a table of rules.
    package init(_ table: SuffixTable) {
        rules = .table(table)
        version = table.version
    }

    private init(parsing bytes: [UInt8]) {
        var rules: [String: Rule] = [:]
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let word = line.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 > 0x20 }
            guard let first = word.first, !word.starts(with: "//".utf8) else { continue }
            if first == UInt8(ascii: "!") {
                Self.add(word.dropFirst(), .exception, to: &rules)
            } else if word.starts(with: "*.".utf8) {
                Self.add(word.dropFirst(2), .wildcard, to: &rules)
            } else {
                Self.add(word, .plain, to: &rules)
            }
        }
        self.rules = .parsed(rules)
        version = Self.version(of: bytes)
    }

    private var isEmpty: Bool {
        if case .parsed(let rules) = rules { rules.isEmpty } else { false }
    }

    /// Returns the version from the line `// VERSION:`, which precedes the first rule.
    private static func version(of bytes: [UInt8]) -> String? {
        let mark = "// VERSION:".utf8
        for line in bytes.prefix(4096).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        where line.starts(with: mark) {
            let word = line.dropFirst(mark.count).drop { $0 == 0x20 }.prefix { 0x21...0x7E ~= $0 }
            return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
        }
        return nil
    }

    private static func add(
        _ bytes: ArraySlice<UInt8>,
        _ rule: Rule,
        to rules: inout [String: Rule]
    ) {
        // No list has a star anywhere else, and a star alone is the default rule.
        guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "*")) else { return }
        let name: String
        if bytes.allSatisfy({ $0 < 0x80 }) {
            name = String(decoding: bytes.lowercasedASCII, as: UTF8.self)
        } else {
            let labels = String(decoding: bytes, as: UTF8.self).lowercased().split(separator: ".")
            let encoded = labels.compactMap { Punycode.encode($0) }
            guard encoded.count == labels.count else { return }
            name = encoded.joined(separator: ".")
        }
        switch (rules[name], rule) {
        case (.plain, .wildcard), (.wildcard, .plain), (.both, .plain), (.both, .wildcard):
            rules[name] = .both
        default: rules[name] = rule
        }
    }

    /// Returns whether the name has no owner, but many owners of names below it.
    ///
    /// The result is also true for a name with an empty label.
    public func isPublicSuffix(_ name: String) -> Bool {
        let name = Self.trimmed(name)
        return Self.hasEmptyLabel(name) || isSuffix(name)
    }

    /// Returns the registered name that contains `host`.
    ///
    /// Nil for a public suffix, an address, and a name with an empty label.
    public func registrableDomain(of host: String) -> String? {
        guard host.utf8.count <= 255, !CookieRules.isAddress(host) else { return nil }
        var owned: Substring?
        var rest = Self.trimmed(host)
        guard !Self.hasEmptyLabel(rest) else { return nil }
        while !isSuffix(rest) {
            owned = rest
            // The longest rule wins, and an exception takes precedence over all others.
            if case .exception = rule(for: rest) { break }
            guard let parent = Self.parent(of: rest) else { break }
            rest = parent
        }
        return owned.map(String.init)
    }

    private func rule(for name: Substring) -> Rule? {
        switch rules {
        case .parsed(let rules): rules[String(name)]
        case .table(let table): table.rule(for: name)
        }
    }

    private func isSuffix(_ name: Substring) -> Bool {
        switch rule(for: name) {
        case .plain, .both: return true
        case .exception: return false
        case .wildcard, nil:
            guard let parent = Self.parent(of: name) else { return true }
            switch rule(for: parent) {
            case .wildcard, .both: return true
            case .plain, .exception, nil: return false
            }
        }
    }

    private static func hasEmptyLabel(_ name: Substring) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.contains { $0.isEmpty }
    }

    private static func parent(of name: Substring) -> Substring? {
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return name[name.utf8.index(after: dot)...]
    }

    private static func trimmed(_ name: String) -> Substring {
        name.utf8.last == UInt8(ascii: ".") ? name.dropLast() : name[...]
    }
}

extension PublicSuffixList {
    /// The size of the built-in table in bytes.
    package static var builtInSize: Int { SuffixTable.embedded.text.utf8.count }

    /// The rules, sorted, in the syntax of a list but with international names in their `xn--` form.
    package var writtenRules: [String] {
        switch rules {
        case .parsed(let rules):
            rules.flatMap { Self.written($0.value, $0.key) }.sorted()
        case .table(let table):
            Self.written(table, 0..<table.rootLength, above: "").sorted()
        }
    }

    private static func written(
        _ table: SuffixTable,
        _ list: Range<Int>,
        above: String
    ) -> [String] {
        var rules: [String] = []
        var start = list.lowerBound
        while start < list.upperBound {
            let entry = SuffixTable.entry(at: start, of: table.text.utf8.span)
            let label = Array(table.text.utf8.dropFirst(start).prefix(entry.label.count))
            let name = String(decoding: label, as: UTF8.self) + above
            if let rule = entry.rule { rules += written(rule, name) }
            if let children = entry.children {
                rules += written(table, children, above: "." + name)
            }
            start = entry.end
        }
        return rules
    }

    private static func written(_ rule: Rule, _ name: String) -> [String] {
        switch rule {
        case .plain: [name]
        case .wildcard: ["*." + name]
        case .both: [name, "*." + name]
        case .exception: ["!" + name]
        }
    }
}

/// An encoder of international labels in ASCII (RFC 3492, RFC 5891 §4.4).
enum Punycode {
    /// Returns the `xn--` form of a lowercase, normalized label; ASCII stays as it is.
    ///
    /// Nil for a label that no name can contain.
    static func encode(_ label: some StringProtocol) -> String? {
        let points = label.unicodeScalars.map(\.value)
        guard points.contains(where: { $0 >= 0x80 }) else { return String(label) }
        guard points.count < 64 else { return nil }
        var output = points.filter { $0 < 0x80 }.map { UInt8($0) }
        let basic = UInt32(output.count)
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (point, delta, bias, done) = (UInt32(128), UInt32(0), UInt32(72), basic)
        while done < UInt32(points.count) {
            // The smallest code point that was not written yet.
            guard let next = points.filter({ $0 >= point }).min() else { return nil }
            // At most 63 times 21 bits, which fits into 32 bits.
            delta += (next - point) * (done + 1)
            point = next
            for other in points {
                if other < point { delta += 1 }
                guard other == point else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(delta, count: done + 1, isFirst: done == basic)
                delta = 0
                done += 1
            }
            delta += 1
            point += 1
        }
        return "xn--" + String(decoding: output, as: UTF8.self)
    }

    /// Appends one number as a variable-length integer (§3.3).
    private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var (rest, place) = (delta, base)
        while true {
            let bound = place <= bias ? tMin : place >= bias + tMax ? tMax : place - bias
            guard rest >= bound else { break }
            output.append(digit(bound + (rest - bound) % (base - bound)))
            rest = (rest - bound) / (base - bound)
            place += base
        }
        output.append(digit(rest))
    }

    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var rest = isFirst ? delta / 700 : delta / 2
        rest += rest / count
        var steps: UInt32 = 0
        while rest > (base - tMin) * tMax / 2 {
            rest /= base - tMin
            steps += base
        }
        return steps + (base - tMin + 1) * rest / (rest + 38)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(value < 26 ? value + 97 : value + 22)
    }

    private static let base: UInt32 = 36
    private static let tMin: UInt32 = 1
    private static let tMax: UInt32 = 26
}

/// A public suffix list in one text, which is searched in place.
///
/// `Tests/PublicSuffixes/make-suffixes` writes the text and describes its format. The text needs no
/// preparation, so it costs no startup time and no additional memory.
package struct SuffixTable: Sendable {
    /// The time when the list was published, from its line `// VERSION:`.
    package let version: String
    /// The length in bytes of the first list, which has the top-level domains.
    let rootLength: Int
    let text: String

    /// Creates a table from a text that `make-suffixes` wrote.
    package init(version: String, rootLength: Int, text: String) {
        self.version = version
        self.rootLength = rootLength
        self.text = text
    }

    /// An entry of a list of labels.
    struct Entry {
        let label: Range<Int>
        let rule: PublicSuffixList.Rule?
        /// The entries for the names below; nil when there are no rules for them.
        let children: Range<Int>?

        /// The offset of the next entry.
        var end: Int { label.upperBound + (children == nil ? 1 : 8) }
    }

    /// Returns the rule for exactly this name; nil when the list has none.
    func rule(for name: Substring) -> PublicSuffixList.Rule? {
        let (table, name) = (text.utf8.span, name.utf8.span)
        var list: Range<Int>? = 0..<rootLength
        var end = name.count
        while true {
            var start = end
            while start > 0, name[start - 1] != UInt8(ascii: ".") { start -= 1 }
            guard let siblings = list,
                let entry = Self.entry(name.extracting(start..<end), in: siblings, of: table)
            else { return nil }
            guard start > 0 else { return entry.rule }
            list = entry.children
            end = start - 1
        }
    }

    /// Finds a label by binary search; an entry begins wherever a label begins.
    private static func entry(
        _ label: Span<UInt8>,
        in list: Range<Int>,
        of table: Span<UInt8>
    ) -> Entry? {
        var (low, high) = (list.lowerBound, list.upperBound)
        while low < high {
            var start = low + (high - low) / 2
            while start > low, !isLabel(table[start]) || isLabel(table[start - 1]) { start -= 1 }
            let entry = entry(at: start, of: table)
            let found = table.extracting(entry.label)
            if isBefore(label, found) {
                high = start
            } else if isBefore(found, label) {
                low = entry.end
            } else {
                return entry
            }
        }
        return nil
    }

    /// Reads the entry that begins at an offset.
    static func entry(at start: Int, of table: Span<UInt8>) -> Entry {
        var end = start
        while isLabel(table[end]) { end += 1 }
        let rule: PublicSuffixList.Rule?
        var hasChildren = true
        switch table[end] {
        case UInt8(ascii: ","): (rule, hasChildren) = (.plain, false)
        case UInt8(ascii: "+"): rule = .plain
        case UInt8(ascii: "*"): (rule, hasChildren) = (.wildcard, false)
        case UInt8(ascii: "%"): rule = .wildcard
        case UInt8(ascii: "&"): (rule, hasChildren) = (.both, false)
        case UInt8(ascii: "$"): rule = .both
        case UInt8(ascii: "!"): (rule, hasChildren) = (.exception, false)
        case UInt8(ascii: "'"): rule = .exception
        default: rule = nil
        }
        guard hasChildren else { return Entry(label: start..<end, rule: rule, children: nil) }
        var digits = 0
        for index in end + 1..<end + 8 { digits = digits << 5 | Int(table[index] &- 0x3B) }
        let (offset, length) = (digits >> 15, digits & 0x7FFF)
        return Entry(label: start..<end, rule: rule, children: offset..<offset + length)
    }

    private static func isBefore(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }

    private static func isLabel(_ byte: UInt8) -> Bool {
        byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "-")
    }
}
