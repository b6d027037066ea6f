package import SocketTransport
internal import Wire

/// The state of an interrupted download, for resuming it later or in another process.
///
/// Its ``text`` can be stored anywhere:
///
///     HTTPClient resume data 3
///     url: https://example.com/big.iso
///     origin: https://cdn.example.com
///     validator: "5f3a-1c"
///     offset: 1048576
///     total: 7340032
///     target: /srv/big.iso
///     file: .big.iso.k3x9aq2m.part
///     part: 1835023 1048576 1700000000123456789
///
/// The number in the first line is the version. `origin` is the server that sent the bytes so far, which
/// is another one than that of the URL after a redirect. `validator` is the strong entity tag of the
/// resource or the date of its last change, in the form of an If-Range field (RFC 9110 §13.1.5). `total`
/// is left out when it is not known. `target` is the absolute path of the file that is to be complete in
/// the end; `file` is the name of the partial file, which is in the same directory. `part` identifies that
/// file: its inode number, its size in bytes and the time of its last change in nanoseconds since 1970. A `%`
/// and control characters are percent-encoded. The URL is without credentials, but its query may hold secrets.
///
/// Names of partial files are used again. If the file is another one than that of `part`, or has changed
/// since, the download starts from the beginning. So it does for a copy of the file, and for a file that a
/// resumed download has changed before its process was killed. Text of the versions 1 and 2, which has no
/// `part`, is refused (``HTTPResumeDataError/unknownVersion``).
///
/// Text from an untrusted source can do little harm: only a file whose name belongs to the target, which
/// is a regular file of this process's user without other links, is ever used or deleted, and it is
/// changed only after a server has answered with bytes for it.
public struct HTTPResumeData: Sendable, Hashable {
    /// The requested URL, without credentials and fragment.
    public let url: String

    /// The origin that sent the bytes so far, such as `https://example.com`.
    ///
    /// The rest is requested from this origin alone. If another one answers, the download starts from
    /// the beginning.
    public let origin: String

    /// The state of the resource that the bytes belong to.
    public let validator: String

    /// The number of bytes in the file.
    public let offset: Int

    /// The size of the whole resource in bytes; nil when the server has not sent it.
    public let total: Int?

    /// The absolute path of the file that the download is to make.
    public let target: String

    /// The name of the partial file, without its directory.
    package let name: String

    /// The identity of the partial file when the download was interrupted.
    package let part: FileIdentity

    /// The path of the partial file, which is in the directory of ``target``.
    public var file: String { TargetPath(target).directory + name }

    package init(
        url: String,
        origin: String?,
        validator: String,
        offset: Int,
        total: Int?,
        target: String,
        name: String,
        part: FileIdentity
    ) {
        self.url = url
        self.origin = origin ?? Self.origin(of: url)
        self.validator = validator
        self.offset = offset
        self.total = total
        self.target = TargetPath.absolute(target)
        self.name = name
        self.part = part
    }

    private static func origin(of url: String) -> String {
        (try? URI(parsing: url))?.origin.map { "\($0)" } ?? ""
    }

    /// Reads what ``text`` has formatted.
    ///
    /// - Throws: what is wrong with it.
    public init(_ text: String) throws(HTTPResumeDataError) {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if lines.last == "" { lines.removeLast() }
        guard let first = lines.first, first.hasPrefix(Self.title) else { throw .notResumeData }
        guard first == "\(Self.title)3" else { throw .unknownVersion }
        var values: [String: String] = [:]
        for (index, line) in lines.enumerated().dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line[colon...].hasPrefix(": "),
                let value = Self.decoded(line[colon...].dropFirst(2)),
                Self.keys.contains(String(line[..<colon])),
                values.updateValue(value, forKey: String(line[..<colon])) == nil
            else { throw .malformed(line: index + 1) }
        }
        guard let url = values["url"], let validator = values["validator"],
            let file = values["file"], let offset = values["offset"],
            let target = values["target"], let origin = values["origin"],
            let part = values["part"].flatMap(Self.identity)
        else { throw .incomplete }
        guard case .value(let bytes) = Digits.decimal(offset), bytes > 0,
            Self.isValidator(validator)
        else { throw .incomplete }
        var whole: Int?
        if let total = values["total"] {
            guard case .value(let number) = Digits.decimal(total), number >= bytes else {
                throw .incomplete
            }
            whole = number
        }
        // A directory in front of the name is ignored: the file is beside the target or nowhere.
        let name = TargetPath(file).name
        guard target.utf8.starts(with: "/".utf8), let own = PartialFileName(target: target) else {
            throw .incomplete
        }
        guard own.matches(name) else { throw .notPartialFile }
        self.init(
            url: url,
            origin: origin,
            validator: validator,
            offset: bytes,
            total: whole,
            target: target,
            name: name,
            part: part
        )
    }

    /// Formats all of it, a line each; ends with a line break.
    public var text: String {
        var lines = ["\(Self.title)3", "url: \(Self.encoded(url))"]
        lines.append("origin: \(Self.encoded(origin))")
        lines.append("validator: \(Self.encoded(validator))")
        lines.append("offset: \(offset)")
        if let total { lines.append("total: \(total)") }
        lines.append("target: \(Self.encoded(target))")
        lines.append("file: \(Self.encoded(name))")
        lines.append("part: \(part.inode) \(part.size) \(part.modified)")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Deletes the partial file: the download will not be resumed.
    ///
    /// The target stays as it is. Does nothing if the partial file is gone, or if another file, such as that
    /// of a later download, has its name.
    ///
    /// - Throws: `.fileFailed`, also when the file is not a partial file of this user or a running
    ///   download is using it.
    public func discard() throws(HTTPError) {
        do {
            try OutputFile.remove(name, beside: target, identity: part)
        } catch {
            if error == .system(.noSuchFile) || error == .replaced { return }
            throw HTTPError(
                .fileFailed(path: file, .remove, reason: error.description),
                phase: .preparing
            )
        }
    }

    private static let title = "HTTPClient resume data "

    private static let keys: Set = [
        "url", "origin", "validator", "offset", "total", "target", "file", "part",
    ]

    /// Reads the value of `part`; nil unless it is three numbers.
    private static func identity(_ text: String) -> FileIdentity? {
        let numbers = text.utf8.split(
            separator: UInt8(ascii: " "),
            omittingEmptySubsequences: false
        )
        .compactMap { part -> UInt64? in
            // Not by `Int`: the number of a file may have all 64 bits.
            guard part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return UInt64(String(decoding: part, as: UTF8.self))
        }
        let spaces = text.utf8.count { $0 == UInt8(ascii: " ") }
        guard numbers.count == 3, spaces == 2 else { return nil }
        return FileIdentity(inode: numbers[0], size: numbers[1], modified: numbers[2])
    }

    /// What may stand in an If-Range field.
    static func isValidator(_ text: String) -> Bool {
        if let tag = EntityTag(text) { return tag.strength == .strong }
        return HTTPDate(text) != nil
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            guard byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(ascii: "%"))
            if byte < 0x10 { bytes.append(UInt8(ascii: "0")) }
            Digits.appendHexadecimal(Int(byte), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Undoes ``encoded(_:)``; nil for a `%` without two digits, and for what is not encoded though
    /// it should be.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte >= 0x20, byte != 0x7F else { return nil }
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap({ Digits.hexadecimal($0) }),
                let low = rest.popFirst().flatMap({ Digits.hexadecimal($0) })
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension HTTPResumeData: CustomStringConvertible, CustomReflectable {
    /// How far the download had come and where; the URL is left out, as its query may hold secrets.
    public var description: String {
        "\(offset) of \(total.map { "\($0)" } ?? "?") bytes in \(file)"
    }

    /// The same, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: ["state": description]) }
}
