package import HTTPClient

/// A parser for the cookie files of `--cookie`.
///
/// It reads the Netscape format, and response heads with Set-Cookie lines. Other lines are ignored.
/// It also reads the JSON format of the library.
package struct CookieFileParser: Sendable {
    /// The cookies, in the order of the file.
    package private(set) var cookies: [Cookie] = []
    /// The number of lines that look like cookies, or like no known format, and are not valid cookies.
    package private(set) var rejectedLines = 0

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let header = Array("set-cookie:".utf8)
    private static let httpOnlyPrefix = Array("#HttpOnly_".utf8)

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - requestedHosts: the hosts of the command line. As in curl, a Set-Cookie line without a
    ///     domain applies to those of them that are IP addresses, because the file does not say
    ///     which host sent it.
    ///   - now: the current time.
    /// - Throws: the error of ``CookieJar/FileFormat/decode(_:)`` for a file in the library's JSON format, which is read
    ///   completely or not at all.
    package init(
        _ bytes: [UInt8],
        requestedHosts: [String],
        now: HTTPDate
    ) throws(HTTPError) {
        let text = bytes.starts(with: Self.byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
        guard text.first(where: { $0 > 0x20 }) != UInt8(ascii: "{") else {
            cookies = try CookieJar.FileFormat.decode(bytes)
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

    /// Parses a line of columns with curl's rules.
    ///
    /// Consecutive tabs count as one. A missing path is `/`, a missing value is empty, and any flag
    /// other than TRUE is false.
    private mutating func parse(columns line: ArraySlice<UInt8>) {
        var columns = line.split(separator: 0x09).map { Array($0) }
        if columns.count > 2, Self.isFlag(columns[2]) { columns.insert([0x2F], at: 2) }
        if columns.count == 6 { columns.append([]) }
        guard columns.count == 7 else {
            // Other header fields are not counted as invalid lines.
            if columns.count > 1 || !Self.isOfHead(line) { rejectedLines += 1 }
            return
        }
        for index in [1, 3] {
            columns[index] = Array((Self.isTrue(columns[index]) ? "TRUE" : "FALSE").utf8)
        }
        if columns[2].first != 0x2F { columns[2] = [0x2F] }
        let plain = Array(columns.joined(separator: [0x09]))
        if let found = try? CookieJar.FileFormat.decode(plain), !found.isEmpty {
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

    /// Whether a line is a status line or a header field.
    private static func isOfHead(_ line: ArraySlice<UInt8>) -> Bool {
        guard !line.starts(with: Array("HTTP/".utf8)) else { return true }
        return line.prefix { $0 > 0x20 }.contains(UInt8(ascii: ":"))
    }

    private static func isAddress(_ host: String) -> Bool {
        host.contains(":")
            || host.utf8.allSatisfy { Decimal.isDigit($0) || $0 == UInt8(ascii: ".") }
    }
}
