internal import HTTPClient

/// Holds what is said of the part that is asked for, and of the state in which it is wanted.
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

    /// Whether each redirect names the URL that led there, as `--referer` may ask for.
    var followsReferer: Bool {
        (referer ?? []).suffix(Self.automatic.count) == Self.automatic[...]
    }

    private static let automatic = Array(";auto".utf8)

    /// Makes the fields.
    ///
    /// - Parameters:
    ///   - time: what ``time(modificationDate:)`` found.
    ///   - content: gives the content of a file; nil when it cannot be read.
    /// - Returns: what is sent unless the user has lines of these names.
    /// - Throws: `.badUsage` for what cannot be sent; `.readFailed` when there is no entity tag to
    ///   compare with.
    func fields(
        time: TimeCondition?,
        reading content: (String) -> [UInt8]?
    ) throws(FetchError) -> HTTPHeaders {
        var fields = HTTPHeaders()
        if var referer {
            if followsReferer { referer.removeLast(Self.automatic.count) }
            guard !referer.contains(where: HeaderLine.isLineBreaking) else {
                throw .usage("the referer may not hold CR, LF or NUL")
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
            // The first call of a script that saves the tag as well finds no file.
            guard bytes != nil || savesTag else {
                throw FetchError(.readFailed, "Failed to open \(tagFile)")
            }
            // As for curl, no tag is one that nothing has.
            let tag = (bytes ?? []).filter { $0 > 0x20 }
            fields.append(.ifNoneMatch, bytes: tag.isEmpty ? Array("\"\"".utf8) : tag)
        }
        return fields
    }

    /// A single number means everything from there on.
    private static func checked(_ range: String) throws(FetchError) -> String {
        let isRange = range.utf8.allSatisfy { byte in
            Decimal.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ",")
        }
        guard isRange, !range.isEmpty else { throw .usage("\"\(range)\" is no range of bytes") }
        return range.contains("-") ? range : range + "-"
    }

    /// Finds the date of `--time-cond`, which may be that of a file.
    ///
    /// - Parameter modificationDate: says when a file was changed; nil when there is none.
    /// - Returns: nil without the option, or when its value is neither a date nor a file.
    func time(modificationDate: (String) -> HTTPDate?) -> TimeCondition? {
        guard let time else { return nil }
        let hasSign = time.hasPrefix("-") || time.hasPrefix("+")
        let text = hasSign ? String(time.dropFirst()) : time
        guard let date = DateParser.date(text) ?? modificationDate(text) else {
            console.warning("\"\(text)\" is neither a date nor a file; it is no condition")
            return nil
        }
        return TimeCondition(date: date, isBefore: time.hasPrefix("-"))
    }
}
