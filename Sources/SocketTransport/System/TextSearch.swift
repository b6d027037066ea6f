extension StringProtocol {
    /// Returns whether `part` occurs in this text, compared byte by byte.
    ///
    /// The standard `contains(_:)` for strings is in the module for regular expressions. Using it
    /// once adds a megabyte to every statically linked program.
    ///
    /// - Parameter part: the text to find; the empty text occurs in every text.
    /// - Returns: true if it occurs.
    package func hasSubstring(_ part: String) -> Bool {
        var rest = utf8[...]
        while true {
            if rest.starts(with: part.utf8) { return true }
            guard rest.popFirst() != nil else { return false }
        }
    }
}
