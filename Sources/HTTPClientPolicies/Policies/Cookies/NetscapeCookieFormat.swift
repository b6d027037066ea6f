internal import Wire

/// The Netscape cookie file format: seven columns separated by tabs.
enum NetscapeCookieFormat {
    static func encode(_ cookies: [Cookie]) -> [UInt8] {
        let head = "# Netscape HTTP Cookie File\n# Written by HTTPClient; it may be edited.\n\n"
        var bytes = Array(head.utf8)
        // A server that puts tabs into a value must not be able to write additional columns.
        for cookie in cookies
        where ![cookie.name, cookie.path, cookie.value].contains(where: hasTab) {
            if cookie.isHTTPOnly { bytes += httpOnly.utf8 }
            if !cookie.isHostOnly { bytes.append(UInt8(ascii: ".")) }
            // The format represents the end of the session as 0.
            let end = cookie.expires.map { max($0, 1) } ?? 0
            let columns = [
                cookie.domain, flag(!cookie.isHostOnly), cookie.path, flag(cookie.isSecure),
                String(end), "",
            ]
            bytes += columns.joined(separator: "\t").utf8
            let text = cookie.text
            text.append(text.name, to: &bytes)
            bytes.append(0x09)
            text.append(text.value, to: &bytes)
            bytes.append(0x0A)
        }
        return bytes
    }

    private static func hasTab(_ text: String) -> Bool {
        text.utf8.contains(0x09)
    }

    private static func flag(_ value: Bool) -> String {
        value ? "TRUE" : "FALSE"
    }

    /// Parses lines that end in LF or CR LF; comments and empty lines are skipped.
    static func decode(_ bytes: ArraySlice<UInt8>) throws(CookieJar.FileError) -> [Cookie] {
        var cookies: [Cookie] = []
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let content = line.last == 0x0D ? line.dropLast() : line
            let isHidden = content.starts(with: httpOnly.utf8)
            guard isHidden || content.first != UInt8(ascii: "#"),
                content.contains(where: { $0 > 0x20 })
            else { continue }
            let text = isHidden ? content.dropFirst(httpOnly.utf8.count) : content
            do throws(CookieJar.FileError.LineError) {
                cookies.append(try cookie(text, isHTTPOnly: isHidden))
            } catch {
                throw .line(index + 1, error)
            }
        }
        return cookies
    }

    private static func cookie(
        _ line: ArraySlice<UInt8>,
        isHTTPOnly: Bool
    ) throws(CookieJar.FileError.LineError) -> Cookie {
        // The value is the last column and may contain a tab.
        let parts = line.split(separator: 0x09, maxSplits: 6, omittingEmptySubsequences: false)
        let columns = parts.prefix(5).map { text($0) }
        guard parts.count >= 6 else { throw .columnCount(parts.count) }
        guard let isWide = flag(columns[1]) else { throw .invalidFlag(column: 2) }
        guard let isSecure = flag(columns[3]) else { throw .invalidFlag(column: 4) }
        guard let end = time(columns[4]) else { throw .invalidExpiry }
        let pair = CookieText(Array(parts[5]), parts.count > 6 ? Array(parts[6]) : [])
        let cookie = Cookie(
            pair.name,
            pair.value,
            domain: columns[0],
            isHostOnly: !isWide,
            path: columns[2],
            expires: end == 0 ? nil : end,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            isLatin1: pair.isLatin1
        )
        guard let cookie else { throw .invalidCookie }
        return cookie
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        // As in header fields, bytes that are not UTF-8 are Latin-1, which has a character for each byte.
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func flag(_ text: String) -> Bool? {
        switch text.lowercasedASCII {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// Parses the expiry; other programs also write empty, negative and fractional values.
    private static func time(_ text: String) -> Int? {
        guard !text.isEmpty else { return 0 }
        let isPast = text.utf8.first == UInt8(ascii: "-")
        let digits = isPast ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count > 1, case .malformed = Digits.decimal(String(parts[1])) { return nil }
        switch Digits.decimal(String(parts[0])) {
        case .value(let value): return isPast ? -value : value
        case .tooLarge: return isPast ? .min : .max
        case .malformed: return nil
        }
    }

    private static let httpOnly = "#HttpOnly_"
}
