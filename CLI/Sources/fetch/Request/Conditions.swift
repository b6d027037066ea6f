internal import HTTPClient

/// The options for a range, for conditions and for the referer, as header fields.
struct Conditions {
    private let referer: [UInt8]?
    private let range: String?
    private let time: String?
    private let tagFile: String?
    private let savesTag: Bool
    private let console: Console

    init(_ command: FetchCommand, _ console: Console) {
        referer = command.referer?.bytes
        range = command.range
        time = command.timeCond
        tagFile = command.etagCompare
        savesTag = command.etagSave != nil
        self.console = console
    }

    /// Whether each redirected request names the URL that led to it, as `--referer` with `;auto` requires.
    var followsReferer: Bool {
        (referer ?? []).suffix(Self.automatic.count) == Self.automatic[...]
    }

    private static let automatic = Array(";auto".utf8)

    /// Returns the header fields of these options.
    ///
    /// - Parameters:
    ///   - time: the result of ``time(modificationDate:)``.
    ///   - content: returns the content of a file; nil when it cannot be read.
    /// - Returns: the fields, which the user's own header lines of the same name replace.
    /// - Throws: `.badUsage` for values that cannot be sent; `.readFailed` when the file with the
    ///   entity tag cannot be read.
    func fields(
        time: TimeCondition?,
        reading content: (String) -> [UInt8]?
    ) throws(FetchError) -> HTTPHeaders {
        var fields = HTTPHeaders()
        if var referer {
            if followsReferer { referer.removeLast(Self.automatic.count) }
            guard !referer.contains(where: HeaderLine.isLineBreaking) else {
                throw .usage("the referer must not contain CR, LF or NUL")
            }
            if !referer.isEmpty { fields.append(.referer, bytes: referer) }
        }
        if let range { fields.append(.range, "bytes=\(try Self.checked(range))") }
        if let time {
            let name: FieldName = time.isBefore ? .ifUnmodifiedSince : .ifModifiedSince
            fields.append(name, time.date.description)
        }
        if let tagFile {
            let bytes = content(tagFile)
            // A script that also saves the tag finds no file in its first run.
            guard bytes != nil || savesTag else {
                throw FetchError(.readFailed, "Failed to open \(tagFile)")
            }
            // As in curl, an empty file becomes an entity tag that matches nothing.
            let tag = (bytes ?? []).filter { $0 > 0x20 }
            fields.append(.ifNoneMatch, bytes: tag.isEmpty ? Array("\"\"".utf8) : tag)
        }
        return fields
    }

    /// Checks a range.
    ///
    /// A single number means everything from that byte on.
    private static func checked(_ range: String) throws(FetchError) -> String {
        let isRange = range.utf8.allSatisfy { byte in
            Decimal.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ",")
        }
        guard isRange, !range.isEmpty else { throw .usage("\"\(range)\" is not a byte range") }
        return range.contains("-") ? range : range + "-"
    }

    /// Returns the condition of `--time-cond`, whose value may be a date or a file.
    ///
    /// - Parameter modificationDate: returns the modification date of a file; nil when there is
    ///   none.
    /// - Returns: nil without the option, or when its value is neither a date nor a file.
    func time(modificationDate: (String) -> HTTPDate?) -> TimeCondition? {
        guard let time else { return nil }
        let hasSign = time.hasPrefix("-") || time.hasPrefix("+")
        let text = hasSign ? String(time.dropFirst()) : time
        guard let date = DateParser.date(text) ?? modificationDate(text) else {
            console.warning("ignored --time-cond: \"\(text)\" is neither a date nor a file")
            return nil
        }
        return TimeCondition(date: date, isBefore: time.hasPrefix("-"))
    }
}
