import Testing
import Wire

/// Tests host handling that does not need the trait `IDN`.
///
/// `Tests/Integrations` tests the conversion itself.
@Suite struct InternationalHostTests {
    @Test(
        .tags(.rfc3986),
        arguments: [
            ("http://ex%61mple.com/", "http://example.com/"),
            ("http://EX%41mple/", "http://example/"),
            ("//a%2Eb", "//a.b"), ("http://u%40:p@%61:8080?q#f", "http://u%40:p@a:8080?q#f"),
            ("http://%31%32%37.0.0.1/%41", "http://127.0.0.1/%41"),
            ("http://a%5fb.", "http://a_b."),
            ("ftp://%61/", "ftp://a/"), ("http://%61/b c", "http://a/b%20c"),
            ("http://xn--%62cher-kva.example/", "http://xn--bcher-kva.example/"),
        ]
    )
    func `§3.2.2: a percent-encoded host is decoded`(text: String, result: String) throws {
        #expect(try URI(percentEncoding: text).text == result)
        // The strict parser keeps the text, but both texts have the same origin.
        if let uri = try? URI(text) {
            #expect(uri.text == text)
            #expect(try uri.origin == URI(result).origin)
        }
    }

    @Test(
        arguments: [
            ("a%2Fb", .forbiddenCharacter), ("a%23b", .forbiddenCharacter),
            ("a%3Fb", .forbiddenCharacter), ("a%40b", .forbiddenCharacter),
            ("a%3A80", .forbiddenCharacter), ("a%00b", .forbiddenCharacter),
            ("a%0D%0Ab", .forbiddenCharacter), ("a%20b", .forbiddenCharacter),
            ("a%25b", .forbiddenCharacter), ("a%2525", .forbiddenCharacter),
            ("%5B%3A%3A1%5D", .forbiddenCharacter),
            ("a%5Cb", .forbiddenCharacter), ("a!b%61", .forbiddenCharacter),
            ("a%zz%61", .forbiddenCharacter),
            ("a%2E%2Eb", .emptyLabel), ("%2E", .emptyLabel), ("%2Ea", .emptyLabel),
            ("%FF", .invalidUTF8), ("%ED%A0%80", .invalidUTF8), ("%C0%AF", .invalidUTF8),
            ("%61" + String(repeating: "b", count: 63), .labelTooLong),
            ("%61" + String(repeating: ".bcd", count: 64), .nameTooLong),
            ("%61" + String(repeating: "b", count: 1024), .nameTooLong),
        ] as [(String, InternationalHostError)]
    )
    func `a host that decodes to an invalid name is rejected`(
        host: String,
        reason: InternationalHostError
    ) {
        let rows = [("http://\(host)/", 7), ("https://u@\(host)", 10), ("//\(host):1?q", 2)]
        for (text, offset) in rows {
            #expect(throws: WireError.invalidURI(.internationalHost(reason), offset: offset)) {
                try URI(percentEncoding: text)
            }
        }
    }

    @Test func `a decoded host of 253 bytes is accepted, with or without a final dot`() throws {
        let name = String(repeating: "abc.", count: 63) + "d"
        #expect(name.utf8.count == 253)
        #expect(try URI(percentEncoding: "http://%61\(name.dropFirst())/").host == name)
        #expect(try URI(percentEncoding: "http://%61\(name.dropFirst())./").host == name + ".")
    }

    #if !IDN
    @Test(arguments: [
        ("http://b\u{FC}cher.example/", 7), ("//u@\u{2100}", 4), ("https://%C3%BC:1/", 8),
        ("http://\u{FF11}\u{FF12}\u{FF17}.0.0.1/", 7),
    ])
    func `without the IDN trait an international host gives an error that names the trait`(
        text: String,
        offset: Int
    ) {
        let error = WireError.invalidURI(.internationalHost(.traitDisabled), offset: offset)
        #expect(throws: error) { try URI(percentEncoding: text) }
    }

    @Test func `without the IDN trait an international host is only lowercased`() {
        #expect(CanonicalHost.text("B\u{FC}cher.example") == "b\u{FC}cher.example")
    }
    #endif
}
