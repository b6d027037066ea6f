package import HTTPClient

/// Reads what `--cookie` takes for a file of cookies: the format of Netscape, or heads of responses with
/// their Set-Cookie lines; what is neither is passed over.
package struct CookieFileParser: Sendable {
    /// In the order of the file.
    package private(set) var cookies: [Cookie] = []
    /// Lines that look like cookies, or like nothing else, and are none.
    package private(set) var rejectedLines = 0

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let header = Array("set-cookie:".utf8)
    private static let httpOnlyPrefix = Array("#HttpOnly_".utf8)

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - requestedHosts: those of the command line. As for curl, a Set-Cookie line without a domain is
    ///     for those of them that are addresses: nobody knows which name would have said it.
    ///   - now: the time.
    /// - Throws: what is wrong with JSON of ours, whose parts make no sense by themselves.
    package init(
        _ bytes: [UInt8],
        requestedHosts: [String],
        now: HTTPDate
    ) throws(CookieFileError) {
        let text = bytes.starts(with: Self.byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
        guard text.first(where: { $0 > 0x20 }) != UInt8(ascii: "{") else {
            cookies = try CookieFormat.decode(bytes)
            return
        }
        let hosts = requestedHosts.filter(Self.isAddress)
        for line in text.split(whereSeparator: { $0 == 0x0A }) {
            let line = line.last == 0x0D ? line.dropLast() : line
            if line.prefix(Self.header.count).map({ $0 | 0x20 }) == Self.header.map({ $0 | 0x20 }) {
                parse(header: line.dropFirst(Self.header.count), hosts, now)
            } else if line.starts(with: Self.httpOnlyPrefix) || line.first != UInt8(ascii: "#"),
                line.contains(where: { $0 > 0x20 })
            {
                parse(columns: line)
            }
        }
    }

    /// Takes a line of columns as curl reads it: tabs that follow each other are one, a missing path is
    /// that of all, a missing value is empty, and what is not TRUE is false.
    private mutating func parse(columns line: ArraySlice<UInt8>) {
        var columns = line.split(separator: 0x09).map { Array($0) }
        if columns.count > 2, Self.isFlag(columns[2]) { columns.insert([0x2F], at: 2) }
        if columns.count == 6 { columns.append([]) }
        guard columns.count == 7 else {
            // A line of another field is nothing to complain about.
            if columns.count > 1 || !Self.isOfHead(line) { rejectedLines += 1 }
            return
        }
        for index in [1, 3] {
            columns[index] = Array((Self.isTrue(columns[index]) ? "TRUE" : "FALSE").utf8)
        }
        if columns[2].first != 0x2F { columns[2] = [0x2F] }
        let plain = Array(columns.joined(separator: [0x09]))
        if let found = try? CookieFormat.decode(plain), !found.isEmpty {
            cookies += found
        } else {
            rejectedLines += 1
        }
    }

    private mutating func parse(header line: ArraySlice<UInt8>, _ hosts: [String], _ now: HTTPDate)
    {
        guard let said = SetCookie(bytes: Array(line)) else {
            rejectedLines += 1
            return
        }
        let end =
            said.maxAge.map { age in
                let (sum, overflow) = now.secondsSince1970.addingReportingOverflow(age)
                return overflow ? .max : max(sum, 0)
            } ?? said.expires?.secondsSince1970
        for domain in said.domain.map({ [$0] }) ?? hosts {
            let cookie = Cookie(
                said.name,
                said.value,
                domain: domain,
                isHostOnly: said.domain == nil,
                path: said.path ?? "/",
                expires: end,
                isSecure: said.isSecure,
                isHTTPOnly: said.isHTTPOnly,
                sameSite: said.sameSite,
                isLatin1: said.pair.isLatin1
            )
            if let cookie { cookies.append(cookie) } else { rejectedLines += 1 }
        }
    }

    private static func isTrue(_ column: [UInt8]) -> Bool {
        column.map { $0 & 0xDF } == Array("TRUE".utf8)
    }

    private static func isFlag(_ column: [UInt8]) -> Bool {
        column == Array("TRUE".utf8) || column == Array("FALSE".utf8)
    }

    /// Whether a line is a status line, or a field.
    private static func isOfHead(_ line: ArraySlice<UInt8>) -> Bool {
        guard !line.starts(with: Array("HTTP/".utf8)) else { return true }
        return line.prefix { $0 > 0x20 }.contains(UInt8(ascii: ":"))
    }

    private static func isAddress(_ host: String) -> Bool {
        host.contains(":")
            || host.utf8.allSatisfy { Decimal.isDigit($0) || $0 == UInt8(ascii: ".") }
    }
}
