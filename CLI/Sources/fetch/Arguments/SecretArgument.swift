/// The bytes of an argument that the process list must not show.
package struct SecretArgument: Sendable, Hashable {
    /// Which argument, counted from 0 behind the program's name.
    package let argument: Int
    /// Which of its bytes.
    package let bytes: Range<Int>

    package init(argument: Int, bytes: Range<Int>) {
        self.argument = argument
        self.bytes = bytes
    }

    /// Finds the secret in the value of an option.
    ///
    /// - Parameters:
    ///   - name: the option's long name.
    ///   - value: the value's bytes.
    /// - Returns: nil when there is none.
    static func range(inValueOf name: String, _ value: ArraySlice<UInt8>) -> Range<Int>? {
        switch name {
        case "user", "proxy-user", "pass", "oauth2-bearer", "cert":
            value.startIndex..<value.endIndex
        case "proxy", "socks5", "socks5-hostname": range(inURL: value)
        case "header", "proxy-header": range(inHeader: value)
        // Without an equals sign it is a file.
        case "cookie" where value.contains(UInt8(ascii: "=")): value.startIndex..<value.endIndex
        default: nil
        }
    }

    /// Finds the password in a URL, with or without a scheme.
    static func range(inURL url: ArraySlice<UInt8>) -> Range<Int>? {
        var start = url.startIndex
        if let slashes = url.indices.dropLast().first(where: {
            url[$0] == UInt8(ascii: "/") && url[$0 + 1] == UInt8(ascii: "/")
        }) {
            start = slashes + 2
        }
        let authority = url[start...].prefix { !Array("/?#".utf8).contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")),
            let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
        else { return nil }
        return (colon + 1)..<at
    }

    /// Finds the value of a header line that carries credentials.
    private static func range(inHeader line: ArraySlice<UInt8>) -> Range<Int>? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon + 1 < line.endIndex else {
            return nil
        }
        let name = String(decoding: line[..<colon].map { $0 | 0x20 }, as: UTF8.self)
        guard ["authorization", "proxy-authorization", "cookie"].contains(name) else { return nil }
        return (colon + 1)..<line.endIndex
    }
}
