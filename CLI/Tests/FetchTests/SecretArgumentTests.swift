import Testing
import fetch

@Suite struct SecretArgumentTests {
    /// Returns the arguments as the process list shows them.
    private func shown(_ arguments: [String]) -> [String] {
        var bytes = arguments.map { Array($0.utf8) }
        _ = try? ArgumentNormalizer.normalize(bytes) { secrets in
            for secret in secrets {
                for index in secret.bytes { bytes[secret.argument][index] = UInt8(ascii: "*") }
            }
        }
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            (["-u", "me:pw", "u"], ["-u", "*****", "u"]), (["-ume:pw", "u"], ["-u*****", "u"]),
            (["--user=me:pw", "u"], ["--user=*****", "u"]), (["-su", "me:pw"], ["-su", "*****"]),
            (["--user", "me:pw"], ["--user", "*****"]), (["-sUme:pw"], ["-sU*****"]),
            (["--proxy-user", "a:b"], ["--proxy-user", "***"]),
            (["--pass", "pw"], ["--pass", "**"]),
            (["--oauth2-bearer=tok"], ["--oauth2-bearer=***"]), (["-E", "f:pw"], ["-E", "****"]),
            (["http://me:pw@h/"], ["http://me:**@h/"]), (["me:pw@h:1/x"], ["me:**@h:1/x"]),
            (["http://me:p@w@h"], ["http://me:***@h"]), (["--", "a:b@h"], ["--", "a:*@h"]),
            (["-x", "http://me:pw@p:1"], ["-x", "http://me:**@p:1"]),
            (["-xsocks5://a:b@p"], ["-xsocks5://a:*@p"]),
            (["--socks5", "a:b@p"], ["--socks5", "a:*@p"]),
            (["-H", "Authorization: x"], ["-H", "Authorization:**"]),
            (["-Hcookie:x"], ["-Hcookie:*"]), (["-b", "a=b"], ["-b", "***"]),
            (
                ["--proxy-header", "proxy-authorization:x"],
                ["--proxy-header", "proxy-authorization:*"]
            ),
            (["-u", "me:pw", "--nonsense"], ["-u", "*****", "--nonsense"]),
        ] as [([String], [String])]
    )
    func `secrets in arguments are hidden in every position`(given: [String], expected: [String]) {
        #expect(shown(given) == expected)
    }

    @Test(arguments: [
        ["http://h:1/a:b@c"], ["http://me@h/"], ["http://h/?a:b@c"], ["-H", "Accept: */*"],
        ["-u", ""],
        ["-o", "a:b@c"], ["-A", "me:pw@x"], ["http://me:@h/"], ["-x", "h:1"], ["-HAuthorization:"],
        ["-b", "jar"],
    ])
    func `arguments without secrets are not changed`(arguments: [String]) {
        #expect(shown(arguments) == arguments)
    }
}
