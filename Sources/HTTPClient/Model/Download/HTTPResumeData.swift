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
/// The number in the first line is the format version. The other lines are:
///
/// - `url`: the requested URL, without credentials. Its query may contain secrets.
/// - `origin`: the server that sent the bytes so far. After a redirect it differs from that of the
///   URL.
/// - `validator`: the strong entity tag of the resource or its last modification date, in the form
///   of an If-Range field (RFC 9110 §13.1.5).
/// - `offset`: the number of bytes in the partial file.
/// - `total`: the size of the resource in bytes; omitted if it is not known.
/// - `target`: the absolute path of the complete file.
/// - `file`: the name of the partial file, in the same directory.
/// - `part`: the identity of the partial file. It consists of the inode number, the size in bytes,
///   and the modification time in nanoseconds since 1970.
///
/// A `%` and control characters are percent-encoded.
///
/// Names of partial files are reused. If the file differs from `part` or has changed since, the
/// download starts from the beginning. It also does so for a copy of the file, and for a file that
/// a resumed download changed before its process was killed. Text of the versions 1 and 2, which
/// has no `part`, is rejected (``HTTPResumeDataError/unknownVersion``).
///
/// Text from an untrusted source can do little harm. The client uses or deletes only a file whose
/// name belongs to the target. It must be a regular file of this process's user without other
/// links. The client changes it only after a server has sent bytes for it.
public struct HTTPResumeData: Sendable, Hashable {
    /// The requested URL, without credentials and fragment.
    public let url: String

    /// The origin that sent the bytes so far, such as `https://example.com`.
    ///
    /// The client requests the rest only from this origin. If another one responds, the download
    /// starts from the beginning.
    public let origin: String

    /// The entity tag or modification date of the resource that the bytes belong to.
    public let validator: String

    /// The number of bytes in the file.
    public let offset: Int

    /// The size of the whole resource in bytes; nil if the server has not sent it.
    public let total: Int?

    /// The absolute path of the complete file.
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

    /// Parses the format of ``text``.
    ///
    /// - Throws: `.invalidRequest(.resumeData(reason))`.
    public init(_ text: String) throws(HTTPError) {
        do throws(HTTPResumeDataError) {
            try self.init(parsing: text)
        } catch {
            throw HTTPError(invalid: .resumeData(error))
        }
    }

    /// Parses the format of ``text`` as the public initializer does, with the reason as the error.
    package init(parsing text: String) throws(HTTPResumeDataError) {
        let lines = LabeledLines.split(text)
        guard let first = lines.first, first.hasPrefix(Self.title) else { throw .notResumeData }
        guard first == "\(Self.title)3" else { throw .unknownVersion }
        let values: [String: String]
        do {
            values = try LabeledLines.values(of: lines.dropFirst(), Self.keys)
        } catch {
            throw .malformed(line: error.number)
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
        // A directory in the name is ignored: the file is always next to the target.
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

    /// The text format, one value per line, with a line break at the end.
    public var text: String {
        var lines = ["\(Self.title)3", LabeledLines.line("url", url)]
        lines.append(LabeledLines.line("origin", origin))
        lines.append(LabeledLines.line("validator", validator))
        lines.append("offset: \(offset)")
        if let total { lines.append("total: \(total)") }
        lines.append(LabeledLines.line("target", target))
        lines.append(LabeledLines.line("file", name))
        lines.append("part: \(part.inode) \(part.size) \(part.modified)")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Deletes the partial file, if the download will not be resumed.
    ///
    /// The target is not changed. The method does nothing if the partial file is gone, or if
    /// another file, such as that of a later download, has its name.
    ///
    /// - Throws: `.fileFailed`, also if the file is not a partial file of this user or a running
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

    /// Parses the value of `part`; returns nil unless it is three numbers.
    private static func identity(_ text: String) -> FileIdentity? {
        let numbers = text.utf8.split(
            separator: UInt8(ascii: " "),
            omittingEmptySubsequences: false
        )
        .compactMap { part -> UInt64? in
            // `Int` would be too small: an inode number can use all 64 bits.
            guard part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return UInt64(String(decoding: part, as: UTF8.self))
        }
        let spaces = text.utf8.count { $0 == UInt8(ascii: " ") }
        guard numbers.count == 3, spaces == 2 else { return nil }
        return FileIdentity(inode: numbers[0], size: numbers[1], modified: numbers[2])
    }

    /// Returns whether the text is valid in an If-Range field.
    static func isValidator(_ text: String) -> Bool {
        if let tag = EntityTag(text) { return tag.strength == .strong }
        return HTTPDate(text) != nil
    }
}

extension HTTPResumeData: CustomStringConvertible, CustomReflectable {
    /// The progress and the path; the URL is omitted, because its query may contain secrets.
    public var description: String {
        "\(offset) of \(total.map { "\($0)" } ?? "?") bytes in \(file)"
    }

    /// A mirror of the description only, because the URL may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["state": description]) }
}
