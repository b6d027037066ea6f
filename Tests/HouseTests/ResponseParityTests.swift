import Support
import Testing

/// Verifies that stubs and the test server offer the same responses, so that a test can move from one to the other.
@Suite struct ResponseParityTests {
    /// The responses that only one of them can have, with the reason.
    private static let exceptions = [
        "error": "a server cannot throw an error in the client",
        "throttled": "a test of the client alone needs no real time",
        "stream": "the closure of a stub returns its response when it has the body",
    ]

    private func members(of type: String, in file: String) throws -> Set<String> {
        let path = "\(SourceFile.root)/API/\(file).txt"
        let text = String(decoding: try #require(TestFileSystem.contents(of: path)), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("struct \(type):") })
        let members = lines[(start + 1)...].prefix { $0.hasPrefix(" ") }
        let returning = members.filter {
            $0.hasSuffix("-> \(type)") || $0.hasSuffix(": \(type) { get }")
        }
        return Set(
            returning.compactMap { line in
                let words = line.split(separator: " ")
                let keyword = words.firstIndex { $0 == "func" || $0 == "var" }
                return keyword.map { String(words[$0 + 1].prefix { $0.isLetter }) }
            }
        )
    }

    @Test func `stubs and the test server have the same responses`() throws {
        let stub = try members(of: "HTTPStub.Response", in: "HTTPClientTesting")
        let server = try members(of: "HTTPTestServer.Response", in: "HTTPTestServer")
        #expect(stub.count > 12 && server.count > 12)
        #expect(stub.symmetricDifference(server) == Set(Self.exceptions.keys))
    }
}
