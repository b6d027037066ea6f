import HTTPClient
import Testing
import fetch

@Suite struct SecurityOptionsTests {
    @Test(arguments: [
        ("file.pem", "file.pem", nil), ("file.pem:secret", "file.pem", "secret"),
        ("file.pem:", "file.pem", ""), ("file:a:b", "file", "a:b"),
        (#"a\:b:c"#, "a:b", "c"), (#"a\\:b"#, #"a\"#, "b"), (#"a\b"#, #"a\b"#, nil),
        ("", "", nil), (#"a\"#, #"a\"#, nil),
    ])
    func `a certificate argument is split at its unescaped colon`(
        value: String,
        file: String,
        passphrase: String?
    ) {
        let parts = CertificateArgument(value)
        #expect(parts.file == file)
        #expect(parts.passphrase == passphrase)
    }

    @Test func `TLS options are normalized to long options`() throws {
        let arguments = [
            "-1", "--tlsv1.3", "-Eme.pem", "--key", "k", "--no-sessionid", "https://a/",
        ]
        #expect(
            try ArgumentNormalizer.normalize(arguments.map { Array($0.utf8) }) == [
                "--tlsv1", "--tlsv1.3", "--no-sessionid", "--cert=me.pem", "--key=k", "--",
                "https://a/",
            ]
        )
    }
}
