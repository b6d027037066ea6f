internal import Wire

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
