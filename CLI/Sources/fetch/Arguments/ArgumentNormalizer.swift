/// Rewrites curl's spelling of a command line into the one that ArgumentParser reads without doubt.
///
/// curl packs short options with a value behind the last (`-sSofile`), takes the next argument as
/// the value whatever it begins with, turns flags off with `--no-`, and joins values of different
/// options in the order of the command line. What comes out is `--name=value`, `--flag`, and after
/// `--` the URLs. Values of ``OptionTable/Shape/placed`` options become ``PlacedText``, and a
/// ``OptionTable/Shape/mark`` becomes one without text, of an option whose name ends with `-at`.
package struct ArgumentNormalizer {
    private let table: OptionTable
    private var remaining: ArraySlice<[UInt8]>
    private var place = 0
    private var flags: [(name: String, isOn: Bool)] = []
    private var values: [String] = []
    private var urls: [String] = []
    private var secrets: [SecretArgument] = []

    /// Rewrites arguments, without the program's name.
    ///
    /// - Parameters:
    ///   - arguments: as the shell gave them.
    ///   - table: the options.
    ///   - hide: called with the secrets among the arguments, also when one is at fault.
    /// - Returns: long options, then `--` and the URLs.
    /// - Throws: `.badUsage`, naming the option at fault.
    package static func normalize(
        _ arguments: [[UInt8]],
        table: OptionTable = .fetch,
        hiding hide: ([SecretArgument]) -> Void = { _ in }
    ) throws(Failure) -> [String] {
        var normalizer = ArgumentNormalizer(table: table, remaining: arguments[...])
        defer { hide(normalizer.secrets) }
        return try normalizer.run()
    }

    private init(table: OptionTable, remaining: ArraySlice<[UInt8]>) {
        self.table = table
        self.remaining = remaining
    }

    private mutating func run() throws(Failure) -> [String] {
        var takesOptions = true
        while let argument = remaining.popFirst() {
            place += 1
            let isOption = takesOptions && argument.count > 1 && argument[0] == UInt8(ascii: "-")
            if !isOption {
                note(SecretArgument.range(inURL: argument[...]), inArgument: place)
                urls.append(try text(argument, of: "URL"))
            } else if argument == Array("--".utf8) {
                takesOptions = false
            } else if argument[1] == UInt8(ascii: "-") {
                try takeLong(argument)
            } else {
                try takeShort(argument)
            }
            // The answer to these is the same whatever follows.
            if let last = flags.last, last.isOn, last.name == "help" || last.name == "version" {
                return ["--\(last.name)"]
            }
        }
        return flags.filter(\.isOn).map { "--\($0.name)" } + values + ["--"] + urls
    }

    private mutating func takeLong(_ argument: [UInt8]) throws(Failure) {
        let end = argument.firstIndex(of: UInt8(ascii: "=")) ?? argument.endIndex
        let spelling = try text(Array(argument[..<end]), of: "option")
        let name = String(spelling.dropFirst(2))
        let joined = end < argument.endIndex ? Array(argument[(end + 1)...]) : nil
        if let entry = table.long(name) {
            try take(entry, spelling: spelling, of: argument, joined: joined)
        } else if name.hasPrefix("no-"), let entry = table.long(String(name.dropFirst(3))),
            entry.shape == .flag || entry.shape == .refused
        {
            guard entry.shape == .flag else { throw Self.refused(spelling) }
            guard joined == nil else { throw .usage("option \(spelling): takes no value") }
            set(entry.long, false)
        } else {
            throw .usage("option \(spelling): is unknown")
        }
    }

    private mutating func takeShort(_ argument: [UInt8]) throws(Failure) {
        var index = 1
        while index < argument.count {
            let letter = argument[index]
            index += 1
            let spelling = "-" + String(UnicodeScalar(letter))
            guard let entry = table.short(letter) else {
                throw .usage("option \(spelling): is unknown")
            }
            guard entry.shape == .value || entry.shape == .placed else {
                try take(entry, spelling: spelling, of: argument, joined: nil)
                continue
            }
            let joined = index < argument.count ? Array(argument[index...]) : nil
            return try take(entry, spelling: spelling, of: argument, joined: joined)
        }
    }

    /// Takes note of a secret; `place` counts from 1.
    private mutating func note(_ secret: Range<Int>?, inArgument place: Int) {
        guard let secret, !secret.isEmpty else { return }
        secrets.append(SecretArgument(argument: place - 1, bytes: secret))
    }

    private mutating func take(
        _ entry: OptionTable.Entry,
        spelling: String,
        of argument: [UInt8],
        joined: [UInt8]?
    ) throws(Failure) {
        switch entry.shape {
        case .refused:
            throw Self.refused(spelling)
        case .flag:
            guard joined == nil else { throw .usage("option \(spelling): takes no value") }
            set(entry.long, true)
        case .mark:
            guard joined == nil else { throw .usage("option \(spelling): takes no value") }
            values.append("--\(entry.long)-at=\(PlacedText(place: place, bytes: []).argument)")
        case .value, .placed:
            let own = place
            var value = joined
            let skipped = joined.map { (argument.count - $0.count) } ?? 0
            if value == nil {
                value = remaining.popFirst()
                place += 1
            }
            if let value {
                let secret = SecretArgument.range(inValueOf: entry.long, value[...])
                note(
                    secret.map { $0.lowerBound + skipped..<$0.upperBound + skipped },
                    inArgument: place
                )
            }
            guard let value else { throw .usage("option \(spelling): requires parameter") }
            let written =
                entry.shape == .placed
                ? PlacedText(place: own, bytes: value).argument
                : try text(value, of: "option \(spelling)")
            values.append("--\(entry.long)=\(written)")
        }
    }

    private mutating func set(_ name: String, _ isOn: Bool) {
        flags.removeAll { $0.name == name }
        flags.append((name, isOn))
    }

    private func text(_ bytes: [UInt8], of what: String) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(what): is not UTF-8")
        }
        return text
    }

    private static func refused(_ spelling: String) -> Failure {
        .usage("option \(spelling): is not supported by this version")
    }
}
