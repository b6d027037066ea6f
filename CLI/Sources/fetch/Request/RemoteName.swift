internal import HTTPClient

/// The file name for `--remote-name`.
package enum RemoteName {
    /// Returns the last segment of the URL's path, after the last slash or backslash.
    ///
    /// Nothing is decoded, so a `%2F` does not become a slash. Characters that the user typed
    /// unencoded stay unencoded.
    ///
    /// - Throws: `.writeFailed` when the segment is empty, `.` or `..`.
    package static func name(of url: TargetURL) throws(FetchError) -> String {
        var name = end(of: url.uri.path, behind: "/")
        let typed = end(of: url.original.prefix { $0 != "?" && $0 != "#" }, behind: "/")
        if PercentEncoding.decode(typed) == PercentEncoding.decode(name) {
            name = end(of: typed, behind: "\\")
        }
        guard !["", ".", ".."].contains(name) else {
            throw FetchError(.writeFailed, "The URL has no file name: use --output")
        }
        return name
    }

    private static func end(of path: some StringProtocol, behind mark: Unicode.Scalar) -> String {
        let bytes = path.utf8.reversed().prefix { $0 != UInt8(ascii: mark) }.reversed()
        return String(decoding: Array(bytes), as: UTF8.self)
    }
}
