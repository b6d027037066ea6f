import Testing
import fetch

@Suite struct MissingPasswordsTests {
    private struct Broken: Error {}

    private func complete(
        _ user: String?,
        _ ask: (String) throws -> [UInt8]?
    ) throws(FetchError) -> String? {
        try MissingPasswords.complete(user, of: "--user", kind: "host", asking: ask)
    }

    @Test func `a user without a colon is prompted for a password`() throws {
        var prompts: [String] = []
        let user = try complete("ada") { prompt in
            prompts.append(prompt)
            return Array("p:w".utf8)
        }
        #expect(user == "ada:p:w")
        #expect(prompts == ["Enter host password for user 'ada':"])
        #expect(try complete("") { _ in [] } == ":")
    }

    @Test(arguments: [nil, "ada:pw", "ada:", ":"])
    func `a user with a colon is not prompted for a password`(user: String?) throws {
        let completed = try complete(user) { _ in throw Broken() }
        #expect(completed == user)
    }

    @Test func `a missing password without a terminal is a usage error`() {
        let missing = #expect(throws: FetchError.self) { try complete("ada") { _ in nil } }
        #expect(missing?.code == .badUsage)
        #expect(missing?.message.contains("for an empty password use 'ada:'") == true)
        let broken = #expect(throws: FetchError.self) {
            try complete("ada") { _ in throw Broken() }
        }
        #expect(broken?.code == .badUsage)
        let odd = #expect(throws: FetchError.self) { try complete("ada") { _ in [0xFF] } }
        #expect(odd?.code == .badUsage)
    }
}
