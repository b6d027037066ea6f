/// The bytes of an argument that must not appear in the process list.
package struct SecretArgument: Sendable, Hashable {
    /// The number of the argument, counted from 0 after the program's name.
    package let argument: Int
    /// The range of the secret bytes in the argument.
    package let bytes: Range<Int>

    package init(argument: Int, bytes: Range<Int>) {
        self.argument = argument
        self.bytes = bytes
    }

    /// Returns the range of the secret in the value of an option.
    ///
    /// - Parameters:
    ///   - name: the option's long name.
    ///   - value: the value's bytes.
    /// - Returns: the range; nil when the value contains no secret.
    static func range(inValueOf name: String, _ value: ArraySlice<UInt8>) -> Range<Int>? {
        switch name {
        case "user", "proxy-user", "pass", "oauth2-bearer", "cert":
            value.startIndex..<value.endIndex
        case "proxy", "socks5", "socks5-hostname": range(inURL: value)
        case "header", "proxy-header": range(inHeader: value)
        // Without an equals sign the value is a file name.
        case "cookie" where value.contains(UInt8(ascii: "=")): value.startIndex..<value.endIndex
        default: nil
        }
    }

    /// Returns the range of the password in a URL, with or without a scheme.
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

    /// Returns the range of the value of a header line that carries credentials.
    private static func range(inHeader line: ArraySlice<UInt8>) -> Range<Int>? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon + 1 < line.endIndex else {
            return nil
        }
        let name = String(decoding: line[..<colon].map { $0 | 0x20 }, as: UTF8.self)
        guard ["authorization", "proxy-authorization", "cookie"].contains(name) else { return nil }
        return (colon + 1)..<line.endIndex
    }
}
