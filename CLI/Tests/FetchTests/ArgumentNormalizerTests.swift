import Testing
import fetch

@Suite struct ArgumentNormalizerTests {
    private func normalized(_ arguments: [String]) throws -> [String] {
        try ArgumentNormalizer.normalize(arguments.map { Array($0.utf8) })
    }

    @Test(arguments: [
        (["-sSf", "u"], ["--silent", "--show-error", "--fail", "--", "u"]),
        (["-so", "file", "u"], ["--silent", "--output=1:file", "--", "u"]),
        (["-sofile", "u"], ["--silent", "--output=1:file", "--", "u"]),
        (["-XPOST", "-mAxB", "u"], ["--request=POST", "--max-time=AxB", "--", "u"]),
        (["u", "-o", "a", "v", "-o", "b"], ["--output=2:a", "--output=5:b", "--", "u", "v"]),
        (["-o", "-x", "u"], ["--output=1:-x", "--", "u"]),
        (["--output", "--", "u"], ["--output=1:--", "--", "u"]),
        (["--max-time=5", "u"], ["--max-time=5", "--", "u"]),
        (["--cacert", "a=b", "u"], ["--cacert=a=b", "--", "u"]),
        (["-X", "", "u"], ["--request=", "--", "u"]),
        (["--", "-s", "--", "u"], ["--", "-s", "--", "u"]),
        (["-s", "--no-silent", "u"], ["--", "u"]),
        (["--no-silent", "-s", "u"], ["--silent", "--", "u"]),
        (["-sOO", "u"], ["--silent", "--remote-name-at=1:", "--remote-name-at=1:", "--", "u"]),
        (
            ["-O", "u", "--no-remote-name", "v"],
            ["--remote-name-at=1:", "--no-remote-name-at=3:", "--", "u", "v"]
        ),
        (["-C", "-", "-#", "u"], ["--progress-bar", "--continue-at=-", "--", "u"]),
        (["-", "u"], ["--", "-", "u"]),
        (["-sh", "--nonsense"], ["--help"]),
        (["-V"], ["--version"]),
        ([], ["--"]),
    ])
    func `arguments in curl's syntax become long options and URLs`(
        given: [String],
        expected: [String]
    ) throws {
        #expect(try normalized(given) == expected)
    }

    @Test func `a positioned value keeps its position and its bytes`() throws {
        let arguments: [[UInt8]] = [Array("-da".utf8), Array("--data-raw".utf8), [0xFF, 0x0A]]
        #expect(
            try ArgumentNormalizer.normalize(arguments)
                == ["--data=1:a", "--data-raw=2:\u{FF}\n", "--"]
        )
    }

    @Test(arguments: [
        (["-so"], "option -o: requires parameter"),
        (["--output"], "option --output: requires parameter"),
        (["-Z"], "option -Z: is not supported by this version"),
        (["-sZ", "u"], "option -Z: is not supported by this version"),
        (["--config", "f"], "option --config: is not supported by this version"),
        (["--no-parallel"], "option --no-parallel: is not supported by this version"),
        (["--nonsense"], "option --nonsense: is unknown"),
        (["--no-output"], "option --no-output: is unknown"),
        (["-?"], "option -?: is unknown"),
        (["-#u"], "option -u: requires parameter"),
        (["--remote-name=1"], "option --remote-name: takes no value"),
        (["--silent=1"], "option --silent: takes no value"),
        (["--no-silent=1"], "option --no-silent: takes no value"),
    ])
    func `an unknown, unsupported or incomplete option is rejected by name`(
        given: [String],
        message: String
    ) {
        #expect(throws: FetchError.usage(message)) { try normalized(given) }
    }

    @Test func `an option value that is not UTF-8 is rejected`() {
        #expect(throws: FetchError.usage("option -m: is not UTF-8")) {
            try ArgumentNormalizer.normalize([Array("-m".utf8), [0xFF]])
        }
    }
}
