import Testing
import fetch

@Suite struct OutputRulesTests {
    @Test(
        arguments: [
            ("http://a/b", "b"), ("http://a/b/c?x=/y#/z", "c"), ("http://a/b%2fc", "b%2fc"),
            ("http://a/%2e%2e", "%2e%2e"), ("http://a/b%20c", "b%20c"), ("http://a/b c", "b c"),
            ("http://a/\u{E9}", "\u{E9}"), ("a/b\\c", "c"), ("http://a/b%5Cc", "b%5Cc"),
            ("http://a/b/../c", "c"), ("http://a/-", "-"), ("http://a/...", "..."),
            ("http://u:p@a/b", "b"),
        ] as [(String, String)]
    )
    func `the remote name is the last segment of the path`(url: String, name: String) throws {
        #expect(try RemoteName.name(of: TargetURL(url)) == name)
    }

    @Test(arguments: [
        "http://a", "http://a/", "http://a/b/", "http://a//", "http://a/..", "http://a/b/.",
        "http://a/b/..", "http://a/?b", "http://a/\\", "http://a/b\\..", "http://a/.\\.",
    ])
    func `a path without a file name has no remote name`(url: String) throws {
        for pathAsIs in [false, true] {
            let url = try TargetURL(url, pathAsIs: pathAsIs)
            let failure = #expect(throws: FetchError.self) { try RemoteName.name(of: url) }
            #expect(failure?.code == .writeFailed)
        }
    }

    private func mark(_ position: Int, _ text: String = "") -> PositionedArgument {
        PositionedArgument(position: position, bytes: Array(text.utf8))
    }

    private func paths(_ rules: OutputRules, _ count: Int) throws -> [String?] {
        let urls = try ["http://a/f", "http://a/g", "http://a/h"].map { try TargetURL($0) }
        return try (0..<count).map { try rules.path(of: $0, urls[$0]) }
    }

    @Test func `outputs are assigned to URLs in the order of the command line`() throws {
        let rules = try OutputRules(
            outputs: [mark(3, "x"), mark(7, "-")],
            remoteNames: [mark(5)]
        )
        #expect(rules.choices == [.named("x"), .remoteName, .named("-")])
        #expect(try paths(rules, 3) == ["x", "g", "-"])
        let fewer = try OutputRules(outputs: [mark(9, "x")], remoteNames: [mark(1)])
        #expect(try paths(fewer, 3) == ["f", "x", nil])
    }

    @Test func `--remote-name-all applies to URLs without an output`() throws {
        let rules = try OutputRules(
            outputs: [mark(2, "-")],
            noRemoteNames: [mark(4)],
            namesAllRemotely: true
        )
        #expect(try paths(rules, 3) == ["-", nil, "h"])
    }

    @Test func `the output directory does not apply to standard output`() throws {
        let rules = try OutputRules(
            outputs: [mark(1, "/x/y"), mark(3, "-")],
            namesAllRemotely: true,
            directory: "d"
        )
        #expect(try paths(rules, 3) == ["d//x/y", "-", "d/h"])
        #expect(try OutputRules(outputs: [], directory: "").directory == nil)
    }

    @Test func `glob values are replaced in the file name but not in the directory`() throws {
        let rules = try OutputRules(outputs: [mark(1, "#1/f")], directory: "d#1")
        let match = URLGlob.Match(url: "http://a/b", values: ["b"])
        #expect(try rules.path(of: 0, TargetURL("http://a/b"), match) == "d#1/b/f")
        let dash = try OutputRules(outputs: [mark(1, "#1")])
        #expect(
            try dash.path(of: 0, TargetURL("http://a/"), .init(url: "", values: ["-"])) == "./-"
        )
    }

    @Test func `a remote name of a dash is a file, not standard output`() throws {
        let rules = OutputRules([.remoteName])
        #expect(try rules.path(of: 0, TargetURL("http://a/-")) == "./-")
    }

    @Test func `an output name that is not UTF-8 is rejected`() {
        #expect(throws: FetchError.usage("option --output: is not UTF-8")) {
            try OutputRules(outputs: [PositionedArgument(position: 1, bytes: [0xFF])])
        }
    }
}
