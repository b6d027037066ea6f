extension StringProtocol {
    /// Tells whether `part` occurs, byte for byte.
    ///
    /// The standard `contains(_:)` for strings belongs to the module of regular expressions, and one
    /// use of it brings a whole megabyte of that into each program that is linked statically.
    ///
    /// - Parameter part: what is looked for; the empty text occurs in every text.
    /// - Returns: true when it occurs.
    package func hasSubstring(_ part: String) -> Bool {
        var rest = utf8[...]
        while true {
            if rest.starts(with: part.utf8) { return true }
            guard rest.popFirst() != nil else { return false }
        }
    }
}
