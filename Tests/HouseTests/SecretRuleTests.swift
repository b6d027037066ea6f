import Support
import Testing

/// Verifies that every public type which stores text or bytes of a message hides them when it is printed.
///
/// `LoggedTextTests` prints values with secrets. This rule finds the types that it does not know yet: a type with such
/// a property is printed as Swift prints it by default, with the property, unless it has its own mirror.
@Suite struct SecretRuleTests {
    /// The names of properties and of associated values that can hold a secret of a message or of the caller.
    private static let secretNames: Set = [
        "body", "bytes", "content", "data", "password", "privateKey", "query", "rawValue", "target",
        "text", "token",
        "url", "user", "value", "values",
    ]

    /// The types of those that Swift prints in full.
    private static let rawTypes: Set = ["String", "[UInt8]", "[String]", "[[UInt8]]"]

    /// Properties that hold no secret, by type and name.
    private static let harmless: Set = [
        // The characters of a method, a media type and a range unit.
        "HTTPMethod.rawValue", "HTTPContentType.rawValue",
        // A digest identifies content, and the program gave it to compare.
        "HTTPDigest.bytes",
        // The variables of a template have the values, and not its text.
        "URITemplate.text",
        // A parameter of a field, such as `charset=utf-8`.
        "FieldParameter.value",
        // The content of an event, which programs print as they print the text of a body.
        "HTTPServerSentEvent.data",
        // A server on this machine, without credentials.
        "HTTPTestServer.url",
        // The value of a program, which it prints as JSON.
        "HTTPJSON.string",
        // Text in place of a digest, an algorithm, a charset, a coding, a scheme, a type or a boundary.
        "HTTPDigest.ParsingError.malformed", "HTTPDigest.ParsingError.unknownAlgorithm",
        "HTTPError.TextReason.unknownCharset", "HTTPError.ResumeReason.contentEncoded",
        "HTTPProxy.ConfigurationError.unsupportedScheme",
        "HTTPParameters.EncodingError.unsupportedType",
        "MultipartForm.EncodingError.invalidBoundary",
        // The name of a member, a field or a stub.
        "CookieJar.FileError.invalidMember", "HTTPCassetteError.invalidMember",
        "HTTPError.BodyReason.unannouncedTrailer", "HTTPStubFailureReason.invalidStub",
        // The paths and devices of this machine.
        "HTTPError.BodyReason.file", "HTTPSecurity.KeyLog.file", "UnixSocket.abstract",
        "UnixSocket.path", "HTTPSocketOptions.LocalBinding.device",
        "HTTPSocketOptions.LocalBinding.interface",
        // The names in a certificate, which is public.
        "HTTPCertificate.Name.address", "HTTPCertificate.Name.dns", "HTTPCertificate.Name.email",
        "HTTPCertificate.Name.uri",
        // A server sends a challenge to clients without credentials.
        "Challenge.Payload.token68",
    ]

    @Test func `no public type shows the text or bytes of a message by default`() throws {
        let names = TestFileSystem.names(in: "\(SourceFile.root)/API").sorted()
        var found: [String] = []
        var known: Set<String> = []
        for name in names {
            let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/API/\(name)"))
            let lines = SourceFile(path: name, text: String(decoding: bytes, as: UTF8.self)).lines
            for property in Self.visibleProperties(lines) {
                if Self.harmless.contains(property) {
                    known.insert(property)
                } else {
                    found.append(property)
                }
            }
        }
        #expect(
            found == [],
            "give these types a description and a mirror (`ValueDescriptions.swift`)"
        )
        #expect(Self.harmless.subtracting(known) == [])
    }

    @Test(
        arguments: [
            (["struct A: Sendable", "    let body: [UInt8]"], ["A.body"]),
            (["struct A.B: Sendable", "    var text: String"], ["A.B.text"]),
            (["struct A: CustomReflectable, Sendable", "    let body: [UInt8]"], []),
            (["struct A: Sendable", "    var text: String { get }"], []),
            (["struct A: Sendable", "    let name: String"], []),
            (["struct A: Sendable", "    let target: URI"], []),
            (["", "extension A", "    let body: [UInt8]"], []),
            (["final class A: Sendable", "    let url: String"], ["A.url"]),
            (["struct A: Sendable", "    let user: String?"], ["A.user"]),
            (["enum A: Sendable", "    case b(String)", "    case c"], ["A.b"]),
            (["enum A: Sendable", "    case b(Int, [UInt8]?)"], ["A.b"]),
            (["enum A: Sendable", "    case b(name: String, token: String = \"\")"], ["A.b"]),
            (["enum A: Sendable", "    case b(reason: String)", "    case c(UInt8)"], []),
            (["enum A: CustomReflectable", "    case b(String)"], []),
        ] as [([String], [String])]
    )
    func `the checker reads recorded interfaces`(lines: [String], expected: [String]) {
        #expect(Self.visibleProperties(lines) == expected)
    }

    /// The stored properties and the cases of types without a mirror, as `Type.name`.
    private static func visibleProperties(_ lines: [String]) -> [String] {
        var found: [String] = []
        var type: String?
        for line in lines {
            guard line.hasPrefix(" ") else {
                type = typeWithoutMirror(line)
                continue
            }
            let words = line.split(separator: " ", maxSplits: 2)
            if let type, words.first == "case", let name = nameOfRevealingCase(line) {
                found.append("\(type).\(name)")
                continue
            }
            guard let type, words.count == 3, words[0] == "let" || words[0] == "var",
                words[1].hasSuffix(":"), !words[2].hasSuffix("}")
            else { continue }
            let name = String(words[1].dropLast())
            if secretNames.contains(name), isRaw(words[2]) { found.append("\(type).\(name)") }
        }
        return found
    }

    private static func isRaw(_ type: Substring) -> Bool {
        rawTypes.contains(String(type.hasSuffix("?") ? type.dropLast() : type))
    }

    /// Returns the name of a case with an associated value that can hold a secret: text or bytes without a label, or
    /// with the name of a secret.
    private static func nameOfRevealingCase(_ line: String) -> String? {
        let parts = line.split(separator: "(", maxSplits: 1)
        guard parts.count == 2, let name = parts[0].split(separator: " ").last else { return nil }
        let values = parts[1].prefix { $0 != ")" }.split(separator: ",")
        let isRevealing = values.contains { value in
            let words = value.split(separator: " ")
            guard let first = words.first else { return false }
            guard first.hasSuffix(":") else { return isRaw(first) }
            return words.count > 1 && secretNames.contains(String(first.dropLast()))
                && isRaw(words[1])
        }
        return isRevealing ? String(name) : nil
    }

    private static func typeWithoutMirror(_ line: String) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard !words.contains(where: { $0.hasPrefix("CustomReflectable") }),
            let place = words.firstIndex(where: {
                ["struct", "class", "enum", "actor"].contains($0)
            }),
            place + 1 < words.count
        else { return nil }
        return String(
            words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
        )
    }
}
