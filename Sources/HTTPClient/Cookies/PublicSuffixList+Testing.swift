extension PublicSuffixList {
    /// Bytes of the table in the library.
    package static var builtInSize: Int { SuffixTable.embedded.text.utf8.count }

    /// The rules, sorted, as a list writes them but with international names in their `xn--` form.
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
