import Support
import Testing

/// Verifies that scripts contain no shell code that hides a failing exit status.
@Suite struct ScriptRuleTests {
    @Test func `scripts do not hide failures`() throws {
        let scripts = try ScriptFile.all().filter(\.isShell)
        #expect(scripts.count > 8)
        #expect(scripts.flatMap { violations(in: $0) } == [])
    }

    @Test func `test suites named in scripts exist`() throws {
        let roots = ["Tests", "CLI/Tests", "Tests/Integrations"]
        let directories = roots.flatMap { TestFileSystem.names(in: "\(SourceFile.root)/\($0)") }
        let suites = SourceFile.all(in: "Tests", "CLI/Tests").map(\.baseName)
        // SwiftPM links all tests of the package into this product.
        let known = Set(directories + suites + ["HTTPClientPackageTests"])
        let named = try ScriptFile.all().flatMap { script in
            script.commands.flatMap { command in
                command.matches(of: /\b[A-Z]\w*Tests\b/).map { String($0.output) }
            }
        }
        #expect(named.count > 5)
        #expect(Set(named).subtracting(known) == [])
    }

    @Test(arguments: [
        ("! nm a.out | grep -q main", 2), ("nm a.out | grep -q main", 1),
        ("! nm \"$a\" | grep -q 'main' || fail \"no\"", 2), ("[ \"$(a \"$b\" | grep -q c)\" ]", 1),
        ("nm a.out | grep -Eq main || exit 1", 1), ("nm a.out |\n    grep -v x | grep -q y", 1),
        ("grep -q main symbols || exit 1", 0), ("! grep -q main symbols", 0),
        ("nm a.out | grep -c main >count", 0),
        ("if ! nm a.out | sort >symbols; then exit 1; fi", 1), ("! ldd a.out | wc -l", 1),
        ("! grep -E 'a|b' symbols", 0), ("[ a != b ] | wc", 0), ("! a || b", 0),
        ("local size=\"$(stat -c %s a)\"", 1), ("export A=$(b)", 1), ("local size", 0),
        ("nm a.out | grep -o main || true", 1), ("grep -c 'a|b' c || :", 1),
        ("kill \"$server\" || true", 0), ("# ! nm a.out | grep -q main", 0),
    ])
    func `the checker finds code that hides a failure`(line: String, count: Int) {
        let text = "#!/bin/bash\nset -euo pipefail\n\(line)\n"
        let script = ScriptFile(path: "scripts/a", text: text)
        #expect(violations(in: script).count == count)
    }

    @Test(arguments: [
        ("#!/bin/bash\necho\n", 1), ("#!/bin/bash\nset -uo pipefail\n", 0),
        ("#!/bin/bash\nset -eu\n", 1), ("#!/bin/sh\nset -eu\n", 0), ("#!/bin/sh\necho\n", 1),
    ])
    func `the checker requires shells that stop at failures`(text: String, count: Int) {
        #expect(violations(in: ScriptFile(path: "scripts/a", text: text)).count == count)
    }

    private func violations(in script: ScriptFile) -> [String] {
        var found: [String] = []
        if !script.stopsAtFailures { found.append("\(script.path): no `set -euo pipefail`") }
        for command in script.commands {
            // Replaces quoted strings in order; otherwise the text between two strings would count as one.
            let bare = command.replacing(/'[^']*'|"[^"]*"/) { text in
                text.output.contains("$(") ? text.output : "''"
            }
            // Checks strings too, because a pipeline may be inside `"$(…)"`.
            if command.contains(/[^|]\|\s*e?grep\s+(-\S+\s+)*-\w*q/) {
                found.append("\(script.path): pipes into grep -q: \(command)")
            }
            if bare.contains(/(^|[;({]|&&|\|\||\b(if|while|then|do)\b)\s*!\s[^|;&]*[^|;&]\|[^|]/) {
                found.append("\(script.path): negates a pipeline: \(command)")
            }
            if bare.contains(/\b(local|export|readonly|declare)\s+\w+="?\$\(/) {
                found.append("\(script.path): the declaration hides the status: \(command)")
            }
            if bare.contains(/\be?grep\b[^|;]*\|\|\s*(true\b|:)/) {
                found.append("\(script.path): hides that grep itself failed: \(command)")
            }
        }
        return found
    }
}

/// A script of the repository.
private struct ScriptFile {
    let path: String
    /// The commands, each as one line, without comments.
    let commands: [String]
    /// Whether the script stops if a command or a part of a pipeline fails.
    let stopsAtFailures: Bool
    /// Whether the script is written in shell, and not in Python.
    let isShell: Bool

    init(path: String, text: String) {
        self.path = path
        var commands: [String] = []
        var isContinued = false
        for line in SourceFile(path: path, text: text).lines {
            let code = line.drop { $0 == " " || $0 == "\t" }
            if code.hasPrefix("#") { continue }
            if isContinued {
                commands[commands.count - 1] += " \(code)"
            } else {
                commands.append(String(code))
            }
            let last = commands[commands.count - 1]
            isContinued = ["\\", "|", "&&"].contains { last.hasSuffix($0) }
            if last.hasSuffix("\\") { commands[commands.count - 1].removeLast() }
        }
        self.commands = commands
        isShell = text.hasPrefix("#!/bin/bash\n") || text.hasPrefix("#!/bin/sh\n")
        let options = commands.first { $0.hasPrefix("set -") } ?? ""
        stopsAtFailures =
            text.hasPrefix("#!/bin/sh")
            ? options.hasPrefix("set -eu") : options.contains(/^set -e?uo pipefail/)
    }

    /// Returns every script, in shell or in Python.
    static func all() throws -> [ScriptFile] {
        try ["scripts", ".ci", "Tests/Arm64", "Tests/PublicSuffixes"].flatMap { directory in
            try TestFileSystem.names(in: "\(SourceFile.root)/\(directory)").compactMap { name in
                let path = "\(SourceFile.root)/\(directory)/\(name)"
                let bytes = try #require(TestFileSystem.contents(of: path))
                let text = String(decoding: bytes, as: UTF8.self)
                return text.hasPrefix("#!")
                    ? ScriptFile(path: "\(directory)/\(name)", text: text) : nil
            }
        }
    }
}
