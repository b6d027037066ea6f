import Support
import Testing

/// Verifies that programs with more privileges than their user ignore variables that name files.
@Suite struct EnvironmentRuleTests {
    @Test func `only one file of the library reads the environment`() {
        let files = SourceFile.all(in: "Sources")
        let readers = files.filter { $0.contains(word: "getenv") }.map(\.path)
        #expect(readers == ["Sources/SocketTransport/System/Environment.swift"])
    }

    @Test(arguments: ["SSLKEYLOGFILE", "SSL_CERT_FILE", "SSL_CERT_DIR"])
    func `variables that name files are read as trusted variables`(name: String) {
        let lines = SourceFile.all(in: "Sources").flatMap(\.code)
        let readers = [" variable", ".variable", "trustedVariable"].map { "\($0)(\"\(name)\")" }
        let uses = lines.flatMap { line in readers.filter { line.mentions($0) } }
        #expect(Set(uses) == [readers[2]])
    }
}
