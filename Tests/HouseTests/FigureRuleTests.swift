import Support
import Testing

/// Verifies that each measured figure has one source, and that other documents quote it.
@Suite struct FigureRuleTests {
    @Test func `the README quotes the sizes of RESULTS`() throws {
        let results = try text(of: "Benchmarks/RESULTS.md")
        let pattern =
            /has ([\d.]+) MiB without it and ([\d.]+) MiB with it \(([\d.]+) and ([\d.]+) MiB with/
        let quoted = try #require(try text(of: "README.md").firstMatch(of: pattern)?.output)
        #expect(try figure("size without Foundation", in: results) == quoted.1)
        #expect(try figure("size with Foundation", in: results) == quoted.2)
        let bare = try figure("size without Foundation, nothing exported", in: results)
        let full = try figure("size with Foundation, nothing exported", in: results)
        #expect(bare == quoted.3)
        #expect(full == quoted.4)
    }

    @Test func `the README quotes the allocations of RESULTS`() throws {
        let results = try text(of: "Benchmarks/RESULTS.md")
        let pattern = /makes (\d+) allocations on the client's event loop and (\d+)\s+elsewhere/
        let quoted = try #require(try text(of: "README.md").firstMatch(of: pattern)?.output)
        #expect(try figure("get-loop allocations", in: results) == "\(quoted.1).0")
        #expect(try figure("get-elsewhere allocations", in: results) == "\(quoted.2).0")
    }

    @Test func `the README quotes the instructions of RESULTS`() throws {
        let results = try text(of: "Benchmarks/RESULTS.md")
        let pattern = /(\d+) 000 user instructions on the client's event loop and (\d+) 000\s/
        let quoted = try #require(try text(of: "README.md").firstMatch(of: pattern)?.output)
        #expect(try thousands("get-loop instructions", in: results) == quoted.1)
        #expect(try thousands("get-elsewhere instructions", in: results) == quoted.2)
    }

    @Test func `the README quotes the instructions of other clients from RESULTS`() throws {
        let results = try text(of: "Benchmarks/RESULTS.md")
        let quote =
            /hyper it takes (\d+) 000, with reqwest (\d+) 000, with libcurl (\d+) 000 and with AsyncHTTPClient (\d+) 000/
        let quoted = try #require(try text(of: "README.md").firstMatch(of: quote)?.output)
        let names = try cells("for each request", in: results)
        let counts = try cells("user instructions", in: results)
        let instructions = Dictionary(zip(names, counts)) { first, _ in first }
        for (name, thousands) in [
            ("hyper", quoted.1), ("reqwest", quoted.2), ("libcurl", quoted.3),
            ("AsyncHTTPClient", quoted.4),
        ] {
            let count = try #require(instructions[name].flatMap(Double.init), "\(name)")
            #expect(String(Int((count / 1000).rounded())) == thousands, "\(name)")
        }
    }

    /// The cells of the first line of a table with this title, without spaces.
    private func cells(_ title: String, in results: String) throws -> [String] {
        let rows = results.split(separator: "\n")
        let row = try #require(rows.first { $0.hasPrefix("| \(title) |") })
        return row.split(separator: "|", omittingEmptySubsequences: false).dropFirst(2)
            .map { $0.filter { $0 != " " } }
    }

    @Test func `the README quotes the number of packages from Benchmarks`() throws {
        let source = try text(of: "Benchmarks/README.md")
        let pattern = /fetches 0 other packages, AsyncHTTPClient (\d+)/
        let quoted = try #require(try text(of: "README.md").firstMatch(of: pattern)?.output)
        #expect(source.contains("fetches \(quoted.1) other packages"))
    }

    @Test func `articles have no measured figure and no document names a commit`() throws {
        let articles = SourceFile.paths(below: "Sources").filter { $0.hasSuffix(".md") }
        #expect(articles.count > 10)
        for path in articles + ["README.md", "CONTRIBUTING.md", "Fuzz/README.md"] {
            let text = try text(of: path)
            #expect(!namesCommit(text), "\(path) names a commit")
            if path.hasPrefix("Sources/") { #expect(!isMeasured(text), "\(path) has a figure") }
        }
    }

    @Test(arguments: [
        ("A request takes 3 µs.", true), ("A call makes 7 allocations.", true),
        ("| program | 12.5 MiB |", true), ("| `small` | 1.14 |\n| `large` | 1.16 |", true),
        ("| body | 10 MiB |", false), ("Two of 7 are rare.", false),
    ])
    func `the checker recognizes measured figures`(text: String, isFigure: Bool) {
        #expect(isMeasured(text) == isFigure)
    }

    @Test(arguments: [
        ("measured at `0a1b2c3`", true), ("with the option `--a1b2c3`", false),
        ("the color `decade`", false),
    ])
    func `the checker recognizes commits`(text: String, isCommit: Bool) {
        #expect(namesCommit(text) == isCommit)
    }

    @Test func `the checker reads figures`() throws {
        let text = "\n| size with Foundation | 12.47 |\n| other | 1 |\n"
        #expect(try figure("size with Foundation", in: text) == "12.5")
        #expect(try thousands("get", in: "| get | 19801 |") == "20")
    }

    /// The value of a row of RESULTS.md with one decimal.
    private func figure(_ name: String, in results: String) throws -> String {
        let recorded = try number(name, in: results)
        let tenths = Int((recorded * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The value of a row of RESULTS.md in thousands.
    private func thousands(_ name: String, in results: String) throws -> String {
        let recorded = try number(name, in: results)
        return String(Int((recorded / 1000).rounded()))
    }

    private func number(_ name: String, in results: String) throws -> Double {
        let rows = results.split(separator: "\n")
        let row = try #require(rows.first { $0.hasPrefix("| \(name) | ") })
        let value = row.split(separator: "|")[1].filter { $0 != " " }
        return try #require(Double(String(value)))
    }

    /// Whether the text contains times, counts of instructions or allocations, fractions of MiB, or ratios.
    private func isMeasured(_ text: String) -> Bool {
        text.contains(/[0-9] (µs|ns|allocations|instructions)\b/)
            || text.contains(/[0-9]\.[0-9]+ MiB/)
            || text.contains(/(?m)^\|.*\| ?[0-9]+\.[0-9]+ ?[(|]/)
    }

    private func namesCommit(_ text: String) -> Bool {
        text.matches(of: /`([0-9a-f]{7})`/).contains { $0.output.1.contains(where: \.isNumber) }
    }

    private func text(of path: String) throws -> String {
        let bytes = try #require(TestFileSystem.contents(of: "\(SourceFile.root)/\(path)"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
