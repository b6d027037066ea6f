package import Wire

// To change the journal: this file has its text and what a later process may trust, `JournalRules` when it is saved and
// how durably, `DownloadWriter` the order of the steps, and `JournaledFile` of SocketTransport the files.
// `DownloadJournalTests` and `PowerFailureTests` use no files; `JournaledDownloadTests` does.

/// The journal of a download: what a later process must know to continue the partial file.
///
/// A pure value with a text form; the article <doc:Downloads> documents it:
///
///     HTTPClient download journal 1
///     url: https://example.com/big.iso?X-Amz-Signature=***
///     origin: https://cdn.example.com
///     validator: "5f3a-1c"
///     total: 7340032
///     digest: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
///     written: 6291456
///     synced: 4194304
///     parts: 6815744-7340031
///     synced-parts: 6815744-7077887
///     boot: 4a1e0e5c-9a0e-4a5d-8f5c-0e9c1a3d2b10
///     inode: 1835023
///     target: /srv/big.iso
///     check: 5931a6f0a8946c8e
///
/// The text of ``HTTPResumeData`` is the same, with the name and the time of a partial file that has no journal
/// beside it.
package struct DownloadJournal: Sendable, Hashable {
    /// The requested URL without credentials, and with `***` in place of signatures and secrets.
    package var url: String
    /// The origin that sent the bytes.
    package var origin: String
    /// The strong validator of the bytes; nil if the server sent none.
    package var validator: String?
    /// The size of the resource in bytes, if it is known.
    package var total: Int?
    /// The digest that the caller expects of the complete file.
    package var digest: String?
    /// The number of bytes in the file, which are complete as long as the system runs.
    package var written: Int
    /// The number of these bytes that survive a power failure.
    package var synced: Int
    /// The bytes beyond ``written`` in the file, after a gap; empty unless it was downloaded in parts.
    package var parts: ByteRangeSet
    /// The bytes beyond ``synced`` that survive a power failure, after a gap.
    package var syncedParts: ByteRangeSet
    /// The identity of the running system that wrote the bytes; nil if it is unknown.
    package var boot: String?
    /// The inode number of the partial file.
    package var inode: UInt64
    /// The absolute path of the complete file when the journal was saved.
    ///
    /// A download with a journal does not compare it, because the directory may have been moved. Resume data find
    /// their file by it.
    package var target: String?
    /// The name of the partial file; nil for the one that has a journal beside it.
    package var file: String?
    /// The modification time of the partial file in nanoseconds since 1970.
    ///
    /// Nil for a file with a journal beside it, which may still grow.
    package var modified: UInt64?

    package init(
        url: String,
        origin: String,
        validator: String?,
        total: Int?,
        digest: String?,
        written: Int,
        synced: Int,
        parts: ByteRangeSet = ByteRangeSet(),
        syncedParts: ByteRangeSet = ByteRangeSet(),
        boot: String?,
        inode: UInt64,
        target: String? = nil,
        file: String? = nil,
        modified: UInt64? = nil
    ) {
        self.url = url
        self.origin = origin
        self.validator = validator
        self.total = total
        self.digest = digest
        self.written = written
        self.synced = synced
        self.parts = parts
        self.syncedParts = syncedParts
        self.boot = boot
        self.inode = inode
        self.target = target
        self.file = file
        self.modified = modified
    }

    /// Returns the number of bytes at the start of the file that are certainly those of the server.
    ///
    /// - Parameters:
    ///   - inode: the inode number of the partial file.
    ///   - size: its size in bytes.
    ///   - boot: the identity of the running system.
    /// - Returns: 0 if the file is not the one that the journal describes.
    package func reliableBytes(inode: UInt64, size: Int, boot: String?) -> Int {
        reliableRanges(inode: inode, size: size, boot: boot).prefix
    }

    /// Returns the bytes of the file that are certainly those of the server, also after a gap.
    ///
    /// - Parameters:
    ///   - inode: the inode number of the partial file.
    ///   - size: its size in bytes.
    ///   - boot: the identity of the running system.
    /// - Returns: an empty set if the file is not the one that the journal describes.
    package func reliableRanges(inode: UInt64, size: Int, boot: String?) -> ByteRangeSet {
        guard inode == self.inode else { return ByteRangeSet() }
        let ranges = boot != nil && boot == self.boot ? writtenRanges : syncedRanges
        // A file that is too short has been changed by another program or by a damaged disk.
        return size >= ranges.end ? ranges : ByteRangeSet()
    }

    /// Whether the two journals are those of one download, at different times.
    package func isContinuation(of other: DownloadJournal) -> Bool {
        inode == other.inode && url == other.url && origin == other.origin
            && validator == other.validator
    }

    /// The bytes in the file.
    package var writtenRanges: ByteRangeSet { ByteRangeSet(first: written).union(parts) }

    /// The bytes that survive a power failure.
    package var syncedRanges: ByteRangeSet { ByteRangeSet(first: synced).union(syncedParts) }

    /// The maximum number of ranges in ``parts`` and in ``syncedParts``; further ones are not recorded.
    ///
    /// Each process adds at most as many as it has connections.
    package static let maxParts = 64

    // MARK: - Text

    private static let title = "HTTPClient download journal "
    private static let names: Set = [
        "url", "origin", "validator", "total", "digest", "written", "synced", "parts",
        "synced-parts", "boot", "inode", "target", "file", "modified", "check",
    ]

    /// Parses the text of a journal.
    ///
    /// - Returns: nil for text of another version, and for text that is damaged or incomplete.
    package init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        do throws(HTTPResumeData.ResumeError) {
            try self.init(parsing: text)
        } catch {
            return nil
        }
    }

    /// Parses the text of a journal, and says what is wrong with other text.
    package init(parsing text: String) throws(HTTPResumeData.ResumeError) {
        let lines = LabeledLines.split(text)
        guard let first = lines.first, first.hasPrefix(Self.title) else { throw .notResumeData }
        guard first == "\(Self.title)1" else { throw .unknownVersion }
        let values: [String: String]
        do {
            values = try LabeledLines.values(of: lines.dropFirst(), Self.names)
        } catch {
            throw .malformed(line: error.number)
        }
        guard lines.last == Self.checkLine(of: lines.dropLast()) else { throw .damaged }
        guard let journal = Self(values) else { throw .incomplete }
        self = journal
    }

    /// Creates a journal from its lines; returns nil if one is missing or impossible.
    private init?(_ values: [String: String]) {
        guard let url = values["url"], let origin = values["origin"],
            let written = values["written"].flatMap(Self.number),
            let synced = values["synced"].flatMap(Self.number), synced <= written,
            let inode = values["inode"].flatMap(Self.wideNumber)
        else { return nil }
        let total = values["total"].map(Self.number)
        let modified = values["modified"].map(Self.wideNumber)
        if case .some(nil) = total { return nil }
        if case .some(nil) = modified { return nil }
        if let whole = total ?? nil, whole < written { return nil }
        if let validator = values["validator"], !Self.isValidator(validator) { return nil }
        guard let parts = Self.ranges(values["parts"], after: written),
            let syncedParts = Self.ranges(values["synced-parts"], after: synced),
            parts.end <= (total ?? nil) ?? 0, parts.isEmpty || values["validator"] != nil,
            ByteRangeSet(first: written).union(parts).contains(syncedParts)
        else { return nil }
        self.init(
            url: url,
            origin: origin,
            validator: values["validator"],
            total: total ?? nil,
            digest: values["digest"],
            written: written,
            synced: synced,
            parts: parts,
            syncedParts: syncedParts,
            boot: values["boot"],
            inode: inode,
            target: values["target"],
            file: values["file"],
            modified: modified ?? nil
        )
    }

    /// The text, one value per line.
    package var text: String {
        var lines = ["\(Self.title)1", LabeledLines.line("url", url)]
        lines.append(LabeledLines.line("origin", origin))
        if let validator { lines.append(LabeledLines.line("validator", validator)) }
        if let total { lines.append("total: \(total)") }
        if let digest { lines.append(LabeledLines.line("digest", digest)) }
        lines.append("written: \(written)")
        lines.append("synced: \(synced)")
        if !parts.isEmpty { lines.append("parts: \(Self.text(of: parts))") }
        if !syncedParts.isEmpty { lines.append("synced-parts: \(Self.text(of: syncedParts))") }
        if let boot { lines.append(LabeledLines.line("boot", boot)) }
        lines.append("inode: \(inode)")
        if let target { lines.append(LabeledLines.line("target", target)) }
        if let file { lines.append(LabeledLines.line("file", file)) }
        if let modified { lines.append("modified: \(modified)") }
        lines.append(Self.checkLine(of: lines[...]))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the last line, which detects a damaged journal.
    ///
    /// FNV-1a suffices: it is no protection against an attacker, who could write any journal.
    private static func checkLine(of lines: ArraySlice<String>) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for line in lines {
            for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0x0A) &* 0x100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return "check: \(String(repeating: "0", count: 16 - digits.utf8.count))\(digits)"
    }

    /// Returns ranges as the first and the last position of each, both inclusive: `8-15 32-47`.
    private static func text(of set: ByteRangeSet) -> String {
        set.ranges.prefix(maxParts).map { "\($0.lowerBound)-\($0.upperBound - 1)" }
            .joined(separator: " ")
    }

    /// Parses the value of a line with ranges.
    ///
    /// - Parameters:
    ///   - text: the value; nil if there is no such line.
    ///   - offset: the number of bytes before the gap that the ranges follow.
    /// - Returns: nil unless the ranges are in order, with gaps between them.
    private static func ranges(_ text: String?, after offset: Int) -> ByteRangeSet? {
        guard let text else { return ByteRangeSet() }
        var ranges: [Range<Int>] = []
        let items = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        guard items.count <= maxParts else { return nil }
        for item in items {
            let ends = item.split(separator: 0x2D, omittingEmptySubsequences: false)
                .map { number(String(decoding: $0, as: UTF8.self)) }
            guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last,
                last < .max, first > ranges.last?.upperBound ?? offset
            else { return nil }
            ranges.append(first..<last + 1)
        }
        return ByteRangeSet(ranges)
    }

    private static func number(_ text: String) -> Int? {
        guard case .value(let number) = Digits.decimal(text) else { return nil }
        return number
    }

    /// Parses a number that can use all 64 bits, such as that of an inode.
    private static func wideNumber(_ text: String) -> UInt64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return UInt64(text)
    }

    /// Returns whether the text is valid in an If-Range field.
    private static func isValidator(_ text: String) -> Bool {
        if let tag = EntityTag(text) { return tag.strength == .strong }
        return HTTPDate(text) != nil
    }
}

extension DownloadJournal {
    /// Parameters of signed URLs that are not secret, but change when a URL is signed again.
    private static let signatureNames: Set = [
        "expires", "keypairid", "policy", "googleaccessid", "ossaccesskeyid", "securitytoken",
        "signatureversion", "se", "st", "sp", "sv", "sr", "spr", "sip", "sks", "skv", "ske", "skt",
        "sktid", "skoid",
    ]
    private static let signaturePrefixes = [
        "xamz", "xgoog", "xoss", "xcos", "xms", "qsign", "qkey",
    ]

    /// Returns the URL that the journal records and compares.
    ///
    /// Scheme, host and port are spelled as in its origin, and credentials are removed. Secrets have the mask
    /// ``SecretNames/mask``. If there are any, the other parameters of a signature have it too. So a URL that was signed
    /// again is the same one.
    package static func comparable(_ url: URI) -> String {
        var parts = URLParts(url)
        if let origin = url.origin {
            // A host has one spelling for all that compares hosts: `127.1` is `127.0.0.1`.
            let canonical = URLParts("\(origin)")
            (parts.scheme, parts.host, parts.port) = (
                canonical.scheme, canonical.host, canonical.port
            )
            if parts.path.isEmpty { parts.path = "/" }
        }
        parts.userinfo = nil
        parts.fragment = nil
        guard let query = parts.query else { return parts.text }
        let names = SecretNames()
        var items: [String] = []
        var isSigned = false
        let raw = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        for item in raw {
            let pieces = item.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = String(decoding: pieces[0], as: UTF8.self)
            let decoded = String(decoding: PercentCoding.decode(name), as: UTF8.self)
            let isSecret = names.isSecret(decoded, in: .parameter)
            isSigned = isSigned || isSecret
            items.append(
                isSecret && pieces.count == 2
                    ? "\(name)=\(SecretNames.mask)" : String(decoding: item, as: UTF8.self)
            )
        }
        if isSigned { items = items.map(Self.withoutSignature) }
        parts.query = items.joined(separator: "&")
        return parts.text
    }

    private static func withoutSignature(_ item: String) -> String {
        guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return item }
        let name = String(decoding: PercentCoding.decode(String(item[..<equals])), as: UTF8.self)
        let plain = String(
            decoding: name.lowercasedASCII.utf8.filter {
                $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_")
            },
            as: UTF8.self
        )
        let isPart =
            signatureNames.contains(plain) || signaturePrefixes.contains { plain.hasPrefix($0) }
        return isPart ? "\(item[...equals])\(SecretNames.mask)" : item
    }
}
