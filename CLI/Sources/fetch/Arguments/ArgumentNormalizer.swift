/// A converter from curl's command line syntax to one that ArgumentParser reads unambiguously.
///
/// curl packs short options and lets the last take a value (`-sSofile`). It takes the next argument
/// as a value even if that begins with a dash. It turns flags off with `--no-`, and joins values of
/// different options in the order of the command line.
///
/// The result is `--name=value` and `--flag` arguments, then `--` and the URLs. Values of
/// ``OptionTable/Shape/positioned`` options become a ``PositionedArgument``. A
/// ``OptionTable/Shape/positionedFlag`` becomes a ``PositionedArgument`` without bytes, of an
/// option whose name ends with `-at`.
package struct ArgumentNormalizer {
    private let table: OptionTable
    private var remaining: ArraySlice<[UInt8]>
    private var position = 0
    private var flags: [(name: String, isOn: Bool)] = []
    private var values: [String] = []
    private var urls: [String] = []
    private var secrets: [SecretArgument] = []

    /// Rewrites arguments, without the program's name.
    ///
    /// - Parameters:
    ///   - arguments: the arguments as the shell passed them.
    ///   - table: the options.
    ///   - hide: called with the secrets among the arguments, even when an argument is invalid.
    /// - Returns: long options, then `--` and the URLs.
    /// - Throws: `.badUsage`, with the name of the invalid option.
    package static func normalize(
        _ arguments: [[UInt8]],
        table: OptionTable = .fetch,
        hiding hide: ([SecretArgument]) -> Void = { _ in }
    ) throws(FetchError) -> [String] {
        var normalizer = ArgumentNormalizer(table: table, remaining: arguments[...])
        defer { hide(normalizer.secrets) }
        return try normalizer.run()
    }

    private init(table: OptionTable, remaining: ArraySlice<[UInt8]>) {
        self.table = table
        self.remaining = remaining
    }

    private mutating func run() throws(FetchError) -> [String] {
        var takesOptions = true
        while let argument = remaining.popFirst() {
            position += 1
            let isOption = takesOptions && argument.count > 1 && argument[0] == UInt8(ascii: "-")
            if !isOption {
                recordSecret(SecretArgument.range(inURL: argument[...]), inArgument: position)
                urls.append(try text(argument, of: "URL"))
            } else if argument == Array("--".utf8) {
                takesOptions = false
            } else if argument[1] == UInt8(ascii: "-") {
                try parseLong(argument)
            } else {
                try parseShort(argument)
            }
            // These options decide the result, whatever follows them.
            if let last = flags.last, last.isOn, last.name == "help" || last.name == "version" {
                return ["--\(last.name)"]
            }
        }
        return flags.filter(\.isOn).map { "--\($0.name)" } + values + ["--"] + urls
    }

    private mutating func parseLong(_ argument: [UInt8]) throws(FetchError) {
        let end = argument.firstIndex(of: UInt8(ascii: "=")) ?? argument.endIndex
        let spelling = try text(Array(argument[..<end]), of: "option")
        let name = String(spelling.dropFirst(2))
        let joined = end < argument.endIndex ? Array(argument[(end + 1)...]) : nil
        if let entry = table.long(name) {
            try parse(entry, spelling: spelling, of: argument, joined: joined)
        } else if name.hasPrefix("no-"), let entry = table.long(String(name.dropFirst(3))),
            entry.shape == .flag || entry.shape == .unsupported
        {
            guard entry.shape == .flag else { throw Self.unsupportedOption(spelling) }
            guard joined == nil else { throw .usage("option \(spelling): takes no value") }
            set(entry.long, false)
        } else {
            throw .usage("option \(spelling): is unknown")
        }
    }

    private mutating func parseShort(_ argument: [UInt8]) throws(FetchError) {
        var index = 1
        while index < argument.count {
            let letter = argument[index]
            index += 1
            let spelling = "-" + String(UnicodeScalar(letter))
            guard let entry = table.short(letter) else {
                throw .usage("option \(spelling): is unknown")
            }
            guard entry.shape == .value || entry.shape == .positioned else {
                try parse(entry, spelling: spelling, of: argument, joined: nil)
                continue
            }
            let joined = index < argument.count ? Array(argument[index...]) : nil
            return try parse(entry, spelling: spelling, of: argument, joined: joined)
        }
    }

    /// Records the position of a secret; `position` counts from 1.
    private mutating func recordSecret(_ secret: Range<Int>?, inArgument position: Int) {
        guard let secret, !secret.isEmpty else { return }
        secrets.append(SecretArgument(argument: position - 1, bytes: secret))
    }

    private mutating func parse(
        _ entry: OptionTable.Entry,
        spelling: String,
        of argument: [UInt8],
        joined: [UInt8]?
    ) throws(FetchError) {
        switch entry.shape {
        case .unsupported:
            throw Self.unsupportedOption(spelling)
        case .flag:
            guard joined == nil else { throw .usage("option \(spelling): takes no value") }
            set(entry.long, true)
        case .positionedFlag:
            guard joined == nil else { throw .usage("option \(spelling): takes no value") }
            values.append(
                "--\(entry.long)-at=\(PositionedArgument(position: position, bytes: []).argument)"
            )
        case .value, .positioned:
            let own = position
            var value = joined
            let skipped = joined.map { (argument.count - $0.count) } ?? 0
            if value == nil {
                value = remaining.popFirst()
                position += 1
            }
            if let value {
                let secret = SecretArgument.range(inValueOf: entry.long, value[...])
                recordSecret(
                    secret.map { $0.lowerBound + skipped..<$0.upperBound + skipped },
                    inArgument: position
                )
            }
            guard let value else { throw .usage("option \(spelling): requires parameter") }
            let written =
                entry.shape == .positioned
                ? PositionedArgument(position: own, bytes: value).argument
                : try text(value, of: "option \(spelling)")
            values.append("--\(entry.long)=\(written)")
        }
    }

    private mutating func set(_ name: String, _ isOn: Bool) {
        flags.removeAll { $0.name == name }
        flags.append((name, isOn))
    }

    private func text(_ bytes: [UInt8], of what: String) throws(FetchError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(what): is not UTF-8")
        }
        return text
    }

    private static func unsupportedOption(_ spelling: String) -> FetchError {
        .usage("option \(spelling): is not supported by this version")
    }
}
