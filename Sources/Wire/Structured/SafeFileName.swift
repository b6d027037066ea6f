/// A conversion from an untrusted name to a safe file name (RFC 6266 §4.3).
enum SafeFileName {
    /// Returns the last component of a path without dangerous characters, or nil if nothing
    /// remains.
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

    /// Whether to remove a character: controls (C0, DEL, C1), line separators, invisible characters
    /// and marks that change the text direction.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0: true
        case 0x061c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff, 0xfff9...0xfffb:
            true
        default: false
        }
    }

    /// Removes spaces and dots at both ends.
    ///
    /// This prevents ".." and hidden files, and some systems remove trailing ones anyway.
    private static func trim(_ name: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        guard let last = name.lastIndex(where: { $0 != " " && $0 != "." }) else { return [] }
        return name[...last].drop { $0 == " " || $0 == "." }
    }

    /// Shortens the name before its extension.
    ///
    /// A suffix of more than 16 bytes is not an extension.
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

    /// The longest name that all common file systems support, in bytes.
    private static let maxLength = 255
    private static let maxExtensionLength = 17
}
