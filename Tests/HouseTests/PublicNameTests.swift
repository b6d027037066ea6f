import Support
import Testing

/// The top-level public types whose names begin with neither HTTP nor TLS, by the reason.
private let otherNames: [(reason: String, names: [String])] = [
    (
        "Wire: terms of RFC 9110 to 9112, and the engine for programs that import Wire themselves",
        [
            "AcceptHeader", "BodyBatch", "BodyDecoder", "BodyEncoder", "BodyEvent", "BodyFraming",
            "BodyStep", "ByteRange", "ByteRangePart", "CacheControl", "CacheDirective", "Challenge",
            "ChunkedDecoder", "ChunkedEncoder", "CloseReason", "ConnectionPersistence",
            "ContentCoding", "ContentDecoder", "ContentDisposition", "ContentRange", "CookiePair",
            "Diagnostic", "EntityTag", "EntityTagCondition", "ExceededLimit", "ExchangeEvent",
            "ExchangeStep", "FieldName", "FieldParameter", "FieldWriter", "ForeignProtocol",
            "FramingAnalysis", "InputBuffer", "InternationalHostError", "InvalidURIReason",
            "MediaRange", "MediaType",
            "MessageExchange", "MultipartByteranges", "MultipartError", "Origin", "ProtocolSwitch",
            "QualityValue", "RangeHeader", "RawHead", "RawLine", "RequestBodyAction",
            "RequestEvent", "RequestHead", "RequestHeadDecoder", "RequestHeadEncoder",
            "RequestStep", "RequestTarget", "ResponseContent", "ResponseHead",
            "ResponseHeadDecoder", "ResponseHeadEncoder", "RetryAfter", "SameSite",
            "ServerExchange", "SetCookie", "Strictness", "URI", "UncheckedWriter", "WebLink",
            "WireError", "WireLimits",
        ]
    ),
    (
        "no module of Foundation, NIO or AsyncHTTPClient has the name, and it needs no prefix to be understood",
        [
            "AddressPolicy", "AddressRange", "Cookie", "CookieFileError", "CookieFormat",
            "CookieJar", "CookieRejectionReason", "CookieStorage",
            "FailedAddress", "IPAddress", "MIMEType", "MultipartForm", "MultipartFormError",
            "PublicSuffixList",
            "RefusedAddress", "SOCKS5Error", "URITemplate", "UnixSocket",
        ]
    ),
]

/// Verifies that public names cannot collide with those of other packages (`PublicNames.swift`).
@Suite struct PublicNameTests {
    @Test func `public types have a prefix or a reason to have none`() throws {
        let names = try publicNames()
        #expect(names.count > 100)
        let others = Set(otherNames.flatMap(\.names))
        #expect(names.filter { !hasPrefix($0) && !others.contains($0) } == [])
        #expect(others.subtracting(names).sorted() == [], "no public type has the name")
        #expect(others.filter(hasPrefix).sorted() == [], "the name has a prefix")
    }

    @Test func `every public type is compiled together with other packages`() throws {
        let path = "Benchmarks/peers/AsyncHTTPClient/Sources/PublicNames/PublicNames.swift"
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/\(path)"))
        let file = SourceFile(path: path, text: String(decoding: bytes, as: UTF8.self))
        let missing = try publicNames().filter { !file.contains(word: $0) }
        #expect(missing == [], "run scripts/record api")
    }

    @Test(arguments: [
        ("struct HTTPPin: Equatable", "HTTPPin"), ("final class HTTPCall<Value>", "HTTPCall"),
        ("protocol HTTPTagKey", "HTTPTagKey"), ("typealias MIMEType = HTTPContentType", "MIMEType"),
        ("enum HTTPPin.Kind: Sendable", nil), ("    var names: [String]", nil),
        ("extension HTTPPin", nil), ("", nil),
    ])
    func `the checker reads the lines of recorded interfaces`(line: String, name: String?) {
        #expect(typeName(line) == name)
    }

    private func hasPrefix(_ name: String) -> Bool {
        name.hasPrefix("HTTP") || name.hasPrefix("TLS")
    }

    /// The top-level types in `API/`.
    private func publicNames() throws -> [String] {
        let files = TestFileSystem.names(in: "\(SourceFile.root)/API").sorted()
        #expect(files.count > 3)
        return try files.flatMap { name in
            let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/API/\(name)"))
            return SourceFile(path: name, text: String(decoding: bytes, as: UTF8.self))
                .lines.compactMap(typeName)
        }
    }

    /// The type that a line declares; nil for members and nested types.
    private func typeName(_ line: String) -> String? {
        guard line.first.map({ $0 != " " }) == true else { return nil }
        let keywords: Set = ["struct", "enum", "class", "protocol", "actor", "typealias"]
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(where: { keywords.contains(String($0)) }),
            let declared = words.dropFirst(place + 1).first
        else { return nil }
        let name = declared.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return declared.dropFirst(name.count).first == "." ? nil : String(name)
    }
}
