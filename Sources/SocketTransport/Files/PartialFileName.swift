/// The names of a target's partial files: `.big.iso.k3x9aq2m.part` for `big.iso`.
///
/// Eight of them are fixed by the target's name, so that a later process finds the leftovers of an
/// earlier one without listing the directory. Others are random; they are used only if all fixed
/// names are taken. One more is that of a file with a journal, which a later process continues.
///
/// Pure, except for ``randomPath()``.
package struct PartialFileName: Sendable, Hashable {
    /// The target's directory, ending with a slash; empty for the current directory.
    package let directory: String
    private let prefix: String
    private let name: String

    private static let fixedCount = 8
    private static let tagLength = 8
    private static let suffix = ".part"
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// - Parameter target: a path; the result is nil if it is empty or ends with a slash.
    package init?(target: String) {
        let path = TargetPath(target)
        guard !path.name.isEmpty else { return nil }
        directory = path.directory
        name = path.name
        prefix = ".\(Self.shortened(path.name))."
    }

    /// The paths with fixed names, in the order in which they are tried.
    package var fixedPaths: [String] {
        (0..<Self.fixedCount).map { index in
            "\(directory)\(prefix)\(Self.tag(Self.hash("\(index)/\(name)")))\(Self.suffix)"
        }
    }

    /// The path of the partial file that a journal describes.
    package var journaledPath: String { "\(directory)\(prefix)\(journalTag)\(Self.suffix)" }

    /// The path of the journal of ``journaledPath``.
    package var journalPath: String { "\(directory)\(prefix)\(journalTag).journal" }

    private var journalTag: String { Self.tag(Self.hash("journal/\(name)")) }

    /// Returns a path that cannot be guessed.
    package func randomPath() -> String {
        "\(directory)\(prefix)\(Self.tag(.random(in: 0 ... .max)))\(Self.suffix)"
    }

    /// Whether `name`, which has no directory, is one of the target's partial files.
    package func matches(_ name: String) -> Bool {
        let (name, start) = (Array(name.utf8), Array(prefix.utf8))
        let end = Array(Self.suffix.utf8)
        return name.count == start.count + Self.tagLength + end.count
            && name.starts(with: start) && name.suffix(end.count).elementsEqual(end)
            && name[start.count...].prefix(Self.tagLength).allSatisfy(Self.letters.contains)
    }

    /// Returns the name of a target whose final name is not known yet, from the URL of its content.
    package static func provisionalName(for url: String) -> String {
        "download-\(tag(hash(url)))"
    }

    /// Returns `name`, or a shortened form if it has more than 200 bytes.
    ///
    /// File names are limited to 255 bytes, and the name of the partial file is longer than the
    /// target's.
    static func shortened(_ name: String) -> String {
        guard name.utf8.count > 200 else { return name }
        var short = ""
        for character in name {
            guard short.utf8.count + character.utf8.count <= 180 else { break }
            short.append(character)
        }
        // The hash distinguishes long names with the same beginning.
        return "\(short)~\(tag(hash(name)))"
    }

    private static func tag(_ number: UInt64) -> String {
        var rest = number
        let tag = (0..<tagLength).map { _ in
            let letter = letters[Int(rest % UInt64(letters.count))]
            rest /= UInt64(letters.count)
            return letter
        }
        return String(decoding: tag, as: UTF8.self)
    }

    /// FNV-1a: the same in every process, unlike `Hasher`.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
    }
}

/// A path that is split into its directory and its last component.
package struct TargetPath: Sendable, Hashable {
    /// The directory, ending with a slash; empty for the current directory.
    package let directory: String
    /// The last component; empty when the path ends with a slash.
    package let name: String

    package init(_ path: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            (directory, name) = ("", path)
            return
        }
        let start = path.utf8.index(after: slash)
        (directory, name) = (String(path[..<start]), String(path[start...]))
    }

    /// Returns the absolute path, or `path` itself if the current directory has been removed.
    package static func absolute(_ path: String) -> String {
        guard !path.utf8.starts(with: "/".utf8), let directory = Syscalls.currentDirectory else {
            return path
        }
        return directory.utf8.last == UInt8(ascii: "/") ? directory + path : "\(directory)/\(path)"
    }
}
