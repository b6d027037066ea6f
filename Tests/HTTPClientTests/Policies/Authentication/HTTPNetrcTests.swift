import ClientSupport
import HTTPClient
import Support
import Testing

@Suite struct HTTPNetrcTests {
    private static let text = """
        # machine commented login no password no
        machine example.com login ada password secret
        machine EXAMPLE.com login bob password "two words \\"\\\\\\t#"
        machine [::1]
          account a
          login eve
          password päss#word # and a comment
        macdef init
        machine nowhere login x
        password y

        machine half login only
        machine any password everybody
        machine none
        default login anonymous password guest
        machine late login l password m
        """

    @Test(
        arguments: [
            ("example.com", nil, "ada", "secret"),
            ("Example.COM", "bob", "bob", "two words \"\\\t#"),
            ("example.com", "ada", "ada", "secret"), ("::1", nil, "eve", "päss#word"),
            ("half", nil, "only", ""), ("any", nil, "", "everybody"),
            ("any", "zoe", "zoe", "everybody"), ("late", nil, "l", "m"),
            ("nowhere", nil, "anonymous", "guest"), ("commented", nil, "anonymous", "guest"),
            ("sub.example.com", nil, "anonymous", "guest"), ("none", nil, nil, nil),
            ("sub.example.com", "zoe", nil, nil), ("example.com", "zoe", nil, nil),
        ] as [(String, String?, String?, String?)]
    )
    func `netrc credentials are found by host and user`(
        host: String,
        user: String?,
        name: String?,
        password: String?
    ) throws {
        let found = try HTTPNetrc(text: Self.text).credentials(host: host, user: user)
        let expected = name.map { HTTPCredentials(user: $0, password: password ?? "") }
        #expect(found == expected)
    }

    @Test(
        arguments: [
            ("machine a\r\nlogin b\r\npassword \"open\n\n", .unterminatedQuote(line: 3)),
            ("\"machine", .unterminatedQuote(line: 1)),
            ("machine \"a\nb\" login \"c\n", .unterminatedQuote(line: 2)),
            ("macdef m\nx\ny\n\n\"", .unterminatedQuote(line: 5)),
            ("macdef m\nx\r\n\r\nbad \"", .unterminatedQuote(line: 4)),
        ] as [(String, HTTPNetrc.ParsingError)]
    )
    func `an unreadable netrc gives an error with its line`(
        text: String,
        reason: HTTPNetrc.ParsingError
    ) {
        #expect(invalidReason { try HTTPNetrc(text: text) } == .netrc(reason))
    }

    @Test(
        arguments: [
            "machine a foo bar login me port 21 password pw",
            "junk words machine a LOGIN me PASSWORD pw",
            "MACHINE a Login me\nPassWord pw",
            "login xx password yy machine a login me password pw",
            "machine a login me password pw login", "machine a login me password pw machine",
            "machine a login me password pw words",
            "macdef m\nx\n\nmachine a login me password pw macdef",
        ]
    )
    func `unknown netrc keywords are skipped`(text: String) throws {
        let netrc = try HTTPNetrc(bytes: Array(text.utf8))
        #expect(netrc.credentials(host: "a") == HTTPCredentials(user: "me", password: "pw"))
    }

    @Test(
        arguments: [
            "", "\n\r\n\t ", "# nothing", "macdef m\nno end", "machine a macdef m\nx\n", "machine",
            "login a", "password \"a\"", "macdef", "machine a\nlogin\n\n",
        ]
    )
    func `a netrc without credentials for a host is valid`(text: String) throws {
        #expect(try HTTPNetrc(text: text).credentials(host: "b") == nil)
    }

    @Test func `a netrc file is read in several encodings, up to its size limit`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("machine a login b password c", as: "netrc")
        let netrc = try HTTPNetrc(contentsOf: path)
        #expect(netrc.credentials(host: "a") == HTTPCredentials(user: "b", password: "c"))
        #expect(netrc == (try HTTPNetrc(text: "machine a login b password \"c\"\n")))
        let long = try directory.write(String(repeating: " ", count: 1 << 20) + "\n", as: "long")
        let reason = invalidReason { try HTTPNetrc(contentsOf: long) }
        #expect(reason == .netrc(.tooLong(limit: 1 << 20)))
        let missing = path + ".missing"
        let error = #expect(throws: HTTPError.self) { try HTTPNetrc(contentsOf: missing) }
        #expect(
            error?.kind == .fileFailed(path: missing, .read, reason: "No such file or directory")
        )
    }

    @Test func `passwords are not printed`() throws {
        let netrc = try HTTPNetrc(text: "machine a login b password topsecret")
        let authentication = HTTPAuthentication.netrc(netrc)
        var dumped = ""
        dump(authentication, to: &dumped)
        dump(netrc, to: &dumped)
        dumped += "\(netrc) \(authentication) \(HTTPAuthentication.bearer("topsecret"))"
        #expect(!dumped.contains("topsecret"))
        let error = #expect(throws: HTTPError.self) {
            try HTTPNetrc(text: "machine a password \"topsecret")
        }
        #expect(error.map { "\($0)".contains("topsecret") } == false)
    }
}
