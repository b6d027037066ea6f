internal import HTTPClient

/// Finds the name that `--remote-name` gives a file.
package enum RemoteName {
    /// Gives the end of the URL's path, behind the last slash or backslash.
    ///
    /// Nothing is decoded, so no `%2F` becomes a slash; what was typed as it is stays as it is.
    ///
    /// - Throws: `.writeFailed` when there is nothing, or nothing but `.` or `..`.
    package static func name(of url: TargetURL) throws(FetchError) -> String {
        var name = end(of: url.uri.path, behind: "/")
        let typed = end(of: url.original.prefix { $0 != "?" && $0 != "#" }, behind: "/")
        if PercentEncoding.decode(typed) == PercentEncoding.decode(name) {
            name = end(of: typed, behind: "\\")
        }
        guard !["", ".", ".."].contains(name) else {
            throw FetchError(.writeFailed, "The URL's path does not end with a name for the file")
        }
        return name
    }

    private static func end(of path: some StringProtocol, behind mark: Unicode.Scalar) -> String {
        let bytes = path.utf8.reversed().prefix { $0 != UInt8(ascii: mark) }.reversed()
        return String(decoding: Array(bytes), as: UTF8.self)
    }
}
