import Support
import Testing

/// Names with which code opens a file, reads a clock or the environment, waits, or uses a socket.
///
/// Only SocketTransport makes system calls: no other module may import the C library (`ImportRuleTests`).
private let effects = [
    "Deadline.now", "WallClock.", "Task.sleep", "ContinuousClock.now", "SuspendingClock.now",
    "Environment.", "FileContents.", "Directory.", "OutputFile.", "JournaledFile.", "FileReader(",
    "FileLock(", "BootIdentity.", "FileThreads(", "SystemThread(", "SocketStream(",
]

/// The folders of pure code, which gets the time and random generators as arguments.
private let pureFolders = [
    "Sources/Wire/", "Sources/HTTPClientModel/Formats/", "Sources/HTTPClientPolicies/Policies/",
    "Sources/HTTPClientPolicies/Settings/",
]

/// The files in them that keep something outside of the process, and the source of random numbers.
private let doors = [
    "Sources/HTTPClientModel/Formats/Random.swift",
    "Sources/HTTPClientPolicies/Policies/Cookies/CookieFile.swift",
    "Sources/HTTPClientPolicies/Policies/Cookies/CookieJar.swift",
    "Sources/HTTPClientPolicies/Policies/Cookies/PublicSuffixList.swift",
    "Sources/HTTPClientPolicies/Policies/Proxies/ProxyResolver.swift",
    "Sources/HTTPClientPolicies/Settings/HTTPClientConfiguration+Presets.swift",
]

/// Verifies that pure code reads no clock, file or environment, and makes no random numbers.
@Suite struct EffectRuleTests {
    @Test func `pure code has no effects`() {
        let files = SourceFile.all(in: "Sources/Wire") + SourceFile.ofClient
        #expect(files.flatMap { violations(in: $0) } == [])
    }

    @Test(arguments: doors) func `every exception has an effect`(path: String) throws {
        let file = try #require(SourceFile.ofClient.first { $0.path == path })
        #expect(file.code.contains { hasEffect($0) || usesChance($0) })
    }

    @Test(arguments: [
        ("Wire/A.swift", "let now = Deadline.now()", true),
        ("Wire/A.swift", "// Deadline.now()", false),
        ("HTTPClientPolicies/Policies/A.swift", "try await Task.sleep(for: delay)", true),
        ("HTTPClientPolicies/Policies/A.swift", "let date = WallClock.secondsSince1970", true),
        (
            "HTTPClientPolicies/Policies/A.swift",
            "let text = try FileContents.read(path, limit: 1)", true
        ),
        ("HTTPClientPolicies/Policies/A.swift", "throw FileContents.error(path, .read)", false),
        ("HTTPClientPolicies/Policies/A.swift", "let lock = try FileLock(for: path)", true),
        (
            "HTTPClientPolicies/Policies/A.swift", "Int64.random(in: 0...bound, using: &random)",
            false
        ),
        ("HTTPClientModel/Formats/A.swift", "let number = Int.random(in: 0...9)", true),
        ("HTTPClientModel/Formats/Random.swift", "let number = Int.random(in: 0...9)", false),
        ("HTTPClientPolicies/Settings/A.swift", "let home = Environment.variable(\"HOME\")", true),
        ("HTTPClient/Connection/A.swift", "let now = Deadline.now()", false),
        ("HTTPClient/Connection/A.swift", "var random = SystemRandomNumberGenerator()", true),
    ])
    func `the checker finds effects`(path: String, line: String, isViolation: Bool) {
        let file = SourceFile(path: "Sources/\(path)", text: line)
        #expect(violations(in: file).isEmpty != isViolation)
    }

    private func violations(in file: SourceFile) -> [String] {
        guard !doors.contains(file.path) else { return [] }
        let isPure = pureFolders.contains { file.path.hasPrefix($0) }
        return zip(1..., file.code).compactMap { number, line in
            let isFound = isPure && hasEffect(line) || usesChance(line)
            return isFound ? "\(file.path):\(number):\(line)" : nil
        }
    }

    private func hasEffect(_ line: String) -> Bool {
        // The function that makes an error opens nothing.
        let line =
            line.mentions("FileContents.error")
            ? line.replacing("FileContents.error", with: "") : line
        return effects.contains { effect in
            guard line.mentions(effect) else { return false }
            return line.ranges(of: effect).contains { range in
                let before = line[..<range.lowerBound].last
                return before.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
            }
        }
    }

    /// Whether the line takes random numbers from the system; with `using:` they are those of an argument.
    private func usesChance(_ line: String) -> Bool {
        line.mentions("SystemRandomNumberGenerator(")
            || line.mentions(".random(in: ") && line.contains(/\.random\(in: [^,]*\)/)
    }
}
