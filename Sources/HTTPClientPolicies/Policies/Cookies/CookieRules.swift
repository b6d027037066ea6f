internal import Wire

/// The rules of RFC 6265bis about which cookies are sent to which hosts and paths.
package enum CookieRules {
    /// The maximum number of bytes of name and value together (§5.6).
    static let maxPairBytes = 4096
    /// The maximum number of bytes of one attribute (§5.6).
    static let maxAttributeBytes = 1024

    // MARK: - Domains

    /// Returns whether a cookie for `domain` is sent to `host` (§5.1.3); both are in lower case.
    package static func matches(_ host: String, domain: String) -> Bool {
        if host == domain { return true }
        let (long, short) = (host.utf8, domain.utf8)
        guard !short.isEmpty, long.count > short.count, hasSuffix(long, short) else { return false }
        let dot = long.index(long.endIndex, offsetBy: -short.count - 1)
        return long[dot] == UInt8(ascii: ".") && !isAddress(host)
    }

    private static func hasSuffix(_ text: String.UTF8View, _ end: String.UTF8View) -> Bool {
        text.suffix(end.count).elementsEqual(end)
    }

    /// Returns the domains whose cookies are sent to `host`: the host and its parent domains.
    ///
    /// A host that is longer than a DNS name can be has no parent domains.
    static func domains(matching host: String) -> [String] {
        var domains = [host]
        guard host.utf8.count <= 255, !isAddress(host) else { return domains }
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[host.utf8.index(after: dot)...]
            guard !rest.isEmpty else { break }
            domains.append(String(Substring(rest)))
        }
        return domains
    }

    /// Returns whether a host is an address, which has no hosts below it and no parent domains.
    ///
    /// As a precaution, a name whose last label is a number counts as an address too. Resolvers turn `127.1`
    /// and `1.2.3.0x4` into addresses, and there is no such top-level domain.
    static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        var labels = host.utf8[...]
        if labels.last == UInt8(ascii: ".") { labels = labels.dropLast() }
        guard let last = labels.split(separator: UInt8(ascii: ".")).last else { return false }
        if last.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) { return true }
        return last.starts(with: "0x".utf8)
            && last.dropFirst(2).allSatisfy { Digits.hexadecimal($0) != nil }
    }

    /// Parses a domain as users and files write it; returns nil when it is not one.
    static func domain(_ text: String) -> String? {
        var bytes = text.utf8[...]
        if bytes.first == UInt8(ascii: ".") { bytes = bytes.dropFirst() }
        let canonical: String
        if bytes.contains(where: { $0 >= 0x80 }) {
            canonical = CanonicalHost.text(String(Substring(bytes)))
            bytes = canonical.utf8[...]
        }
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            bytes = bytes.dropFirst().dropLast()
        }
        guard 1...maxAttributeBytes ~= bytes.count, bytes.first != UInt8(ascii: "."),
            bytes.allSatisfy({ 0x21...0x7E ~= $0 && !"/[]".utf8.contains($0) })
        else { return nil }
        return CanonicalHost.text(String(Substring(bytes)))
    }

    // MARK: - Paths

    /// Returns whether a cookie for `path` is sent with a request for `target` (§5.1.4).
    package static func matches(_ target: String, path: String) -> Bool {
        let (long, short) = (target.utf8, path.utf8)
        guard long.starts(with: short) else { return false }
        guard let next = long.dropFirst(short.count).first else { return true }
        return short.last == UInt8(ascii: "/") || next == UInt8(ascii: "/")
    }

    /// Returns the default path of a cookie: that of the request up to its last slash (§5.1.4).
    package static func defaultPath(_ target: String) -> String {
        let bytes = target.utf8
        guard bytes.first == UInt8(ascii: "/"),
            let last = bytes.lastIndex(of: UInt8(ascii: "/")), last > bytes.startIndex
        else { return "/" }
        return String(target[..<last])
    }

    /// Returns the path of a request; an empty one becomes "/".
    static func path(of url: URI) -> String {
        let path = url.path
        return path.isEmpty ? "/" : path
    }

    // MARK: - Text

    /// Returns whether text can be sent: no control but tabs, no semicolon, no surrounding whitespace.
    static func isContent(_ text: String) -> Bool {
        let bytes = text.utf8
        guard !isSpace(bytes.first), !isSpace(bytes.last) else { return false }
        return bytes.allSatisfy {
            $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";"))
        }
    }

    static func isName(_ text: String) -> Bool {
        isContent(text) && !text.utf8.contains(UInt8(ascii: "="))
    }

    static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= maxAttributeBytes
            && isContent(text)
    }

    private static func isSpace(_ byte: UInt8?) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    // MARK: - Prefixes

    /// Returns whether a cookie meets the requirements of its name prefix (§5.7), in either case.
    ///
    /// - Parameters:
    ///   - cookie: the cookie to store.
    ///   - isRooted: whether its path was given, as "/".
    /// - Returns: true also for a name without a prefix.
    static func satisfiesNamePrefix(_ cookie: Cookie, isRooted: Bool) -> Bool {
        // Servers would read a value without a name as a name.
        let name = cookie.name.isEmpty ? cookie.value : cookie.name
        let isHost = hasPrefix(name, "__host-")
        guard isHost || hasPrefix(name, "__secure-") else { return true }
        guard !cookie.name.isEmpty, cookie.isSecure else { return false }
        return !isHost || (cookie.isHostOnly && isRooted)
    }

    private static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
        text.utf8.prefix(prefix.utf8.count).lowercasedASCII.elementsEqual(prefix.utf8)
    }
}

/// The name and the value of a cookie: text or, if they are not UTF-8, bytes as ISO 8859-1.
struct CookieText {
    let name: String
    let value: String
    /// Whether each character is the byte of that number; false for UTF-8.
    let isLatin1: Bool

    /// Creates the text of a cookie that a server sent.
    init(_ pair: CookiePair) {
        (name, value, isLatin1) = (pair.name, pair.value, pair.isLatin1)
    }

    init(_ cookie: Cookie) {
        (name, value, isLatin1) = (cookie.name, cookie.value, cookie.isLatin1)
    }

    /// Creates text, or characters that represent bytes; nil if one of these is above U+00FF.
    init?(_ name: String, _ value: String, isLatin1: Bool) {
        guard isLatin1 else {
            self.init(text: name, value)
            return
        }
        guard let nameBytes = Self.latin1(name), let valueBytes = Self.latin1(value) else {
            return nil
        }
        self.init(nameBytes, valueBytes)
    }

    private init(text name: String, _ value: String) {
        (self.name, self.value, isLatin1) = (name, value, false)
    }

    /// Creates text from bytes: decoded if both are UTF-8, otherwise as ISO 8859-1.
    init(_ name: [UInt8], _ value: [UInt8]) {
        if let nameText = String(validating: name, as: UTF8.self),
            let valueText = String(validating: value, as: UTF8.self)
        {
            (self.name, self.value, isLatin1) = (nameText, valueText, false)
        } else {
            (self.name, self.value, isLatin1) = (Self.text(name), Self.text(value), true)
        }
    }

    /// The number of bytes of name and value together.
    var count: Int {
        isLatin1
            ? name.unicodeScalars.count + value.unicodeScalars.count
            : name.utf8.count + value.utf8.count
    }

    /// Returns whether the names are the same bytes; Swift treats equivalent strings as equal.
    func hasSameName(as other: CookieText) -> Bool {
        guard isLatin1 || other.isLatin1 else { return name.utf8.elementsEqual(other.name.utf8) }
        return bytes(name) == other.bytes(other.name)
    }

    func bytes(_ part: String) -> [UInt8] {
        var bytes: [UInt8] = []
        append(part, to: &bytes)
        return bytes
    }

    /// Appends the bytes of the name or the value.
    func append(_ part: String, to bytes: inout [UInt8]) {
        if isLatin1 {
            bytes += part.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        } else {
            bytes += part.utf8
        }
    }

    private static func latin1(_ text: String) -> [UInt8]? {
        guard text.unicodeScalars.allSatisfy({ $0.value < 0x100 }) else { return nil }
        return text.unicodeScalars.map { UInt8($0.value) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
