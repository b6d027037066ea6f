/// Turns a name that a stranger chose into one for a file (RFC 6266 §4.3).
enum SafeFileName {
    /// Gives the last part of a path without what is dangerous; nil when nothing is left.
    static func make(from name: String) -> String? {
        let scalars = name.unicodeScalars
        var kept: [Unicode.Scalar] = []
        for scalar in scalars {
            switch scalar {
            case "/", "\\": kept.removeAll(keepingCapacity: true)
            case "<", ">", ":", "\"", "|", "?", "*": kept.append("_")
            default: if !isDropped(scalar) { kept.append(scalar) }
            }
        }
        let trimmed = trim(truncate(trim(kept[...])))
        guard !trimmed.isEmpty else { return nil }
        return text(trimmed)
    }

    /// Drops controls (C0, DEL, C1), separators of lines, invisible marks and tags of direction.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0: true
        case 0x061c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff, 0xfff9...0xfffb:
            true
        default: false
        }
    }

    /// Drops spaces and dots at both ends: "..", hidden files, and what some systems drop anyway.
    private static func trim(_ name: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        guard let last = name.lastIndex(where: { $0 != " " && $0 != "." }) else { return [] }
        return name[...last].drop { $0 == " " || $0 == "." }
    }

    /// Shortens the name in front of its extension; an extension above 16 bytes is none.
    private static func truncate(_ name: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        guard byteCount(name) > maxLength else { return name }
        var suffix: ArraySlice<Unicode.Scalar> = []
        if let dot = name.lastIndex(of: "."), byteCount(name[dot...]) <= maxExtensionLength {
            suffix = name[dot...]
        }
        var room = maxLength - byteCount(suffix)
        let stem = name.prefix { scalar in
            room -= UTF8.width(scalar)
            return room >= 0
        }
        return stem + suffix
    }

    private static func byteCount(_ name: ArraySlice<Unicode.Scalar>) -> Int {
        name.reduce(0) { $0 + UTF8.width($1) }
    }

    private static func text(_ name: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: name)
        return String(view)
    }

    /// Bytes of a name that every usual file system can hold.
    private static let maxLength = 255
    private static let maxExtensionLength = 17
}
