internal import SocketTransport
internal import Wire

/// Says where a download stopped, so that it can go on from there: later, or in another process.
///
/// Its ``text`` is plain and can be stored anywhere:
///
///     HTTPClient resume data 1
///     url: https://example.com/big.iso
///     validator: "5f3a-1c"
///     offset: 1048576
///     total: 7340032
///     file: /tmp/.big.iso.k3x9aq2m.part
///
/// The number in the first line is the version. `validator` is the strong entity tag of the resource,
/// or the date of its last change, in the form of an If-Range field (RFC 9110 §13.1.5); `total` is
/// left out when it is not known; `file` holds the octets so far. A `%` and control characters are
/// percent-encoded. The URL is without credentials, but its query may hold secrets.
public struct HTTPResumeData: Sendable, Hashable {
    /// What was asked, without credentials and fragment.
    public let url: String

    /// Names the state of the resource that the octets are of.
    public let validator: String

    /// Octets that are in the file.
    public let offset: UInt64

    /// Octets of the whole resource; nil when the server has not said.
    public let total: UInt64?

    /// The file with the octets so far.
    public let file: String

    package init(url: String, validator: String, offset: UInt64, total: UInt64?, file: String) {
        self.url = url
        self.validator = validator
        self.offset = offset
        self.total = total
        self.file = file
    }

    /// Reads what ``text`` has formatted.
    ///
    /// - Throws: what is wrong with it.
    public init(_ text: String) throws(ResumeFault) {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if lines.last == "" { lines.removeLast() }
        guard let first = lines.first, first.hasPrefix(Self.title) else { throw .foreign }
        guard first == "\(Self.title)1" else { throw .unknownVersion }
        var values: [String: String] = [:]
        for (index, line) in lines.enumerated().dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line[colon...].hasPrefix(": "),
                let value = Self.decoded(line[colon...].dropFirst(2)),
                ["url", "validator", "offset", "total", "file"].contains(line[..<colon]),
                values.updateValue(value, forKey: String(line[..<colon])) == nil
            else { throw .malformed(line: index + 1) }
        }
        guard let url = values["url"], let validator = values["validator"],
            let file = values["file"], let offset = values["offset"]
        else { throw .incomplete }
        guard case .value(let octets) = Digits.decimal(offset), octets > 0,
            octets <= UInt64(Int64.max), Self.isValidator(validator)
        else { throw .incomplete }
        var whole: UInt64?
        if let total = values["total"] {
            guard case .value(let number) = Digits.decimal(total), number >= octets else {
                throw .incomplete
            }
            whole = number
        }
        self.init(url: url, validator: validator, offset: octets, total: whole, file: file)
    }

    /// Formats all of it, a line each; ends with a line break.
    public var text: String {
        var lines = ["\(Self.title)1", "url: \(Self.encoded(url))"]
        lines.append("validator: \(Self.encoded(validator))")
        lines.append("offset: \(offset)")
        if let total { lines.append("total: \(total)") }
        lines.append("file: \(Self.encoded(file))")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Deletes the file: the download will not be continued.
    ///
    /// - Throws: `.fileFailed`; not when it is gone already.
    public func discard() throws(HTTPError) {
        do {
            try OutputFile.remove(file)
        } catch .noSuchFile {
            return
        } catch {
            throw HTTPError(
                .fileFailed(path: file, .remove, reason: error.description),
                phase: .preparing
            )
        }
    }

    private static let title = "HTTPClient resume data "

    /// What may stand in an If-Range field.
    static func isValidator(_ text: String) -> Bool {
        if let tag = EntityTag(text) { return tag.strength == .strong }
        return HTTPDate(text) != nil
    }

    private static func encoded(_ text: String) -> String {
        var octets: [UInt8] = []
        for octet in text.utf8 {
            guard octet < 0x20 || octet == 0x7F || octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            octets.append(UInt8(ascii: "%"))
            if octet < 0x10 { octets.append(UInt8(ascii: "0")) }
            Digits.appendHexadecimal(UInt64(octet), to: &octets)
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// Undoes ``encoded(_:)``; nil for a `%` without two digits, and for what is not encoded though
    /// it should be.
    private static func decoded(_ text: Substring) -> String? {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let octet = rest.popFirst() {
            guard octet >= 0x20, octet != 0x7F else { return nil }
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard let high = rest.popFirst().flatMap({ Digits.hexadecimal($0) }),
                let low = rest.popFirst().flatMap({ Digits.hexadecimal($0) })
            else { return nil }
            octets.append(high << 4 | low)
        }
        return String(validating: octets, as: UTF8.self)
    }
}

extension HTTPResumeData: CustomStringConvertible, CustomReflectable {
    /// How far the download had come and where; the URL is left out, as its query may hold secrets.
    public var description: String {
        "\(offset) of \(total.map { "\($0)" } ?? "?") octets in \(file)"
    }

    /// The same, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: ["state": description]) }
}
