import HTTPClient
import Support
import Testing

/// Verifies that the documented tables of error kinds are complete and correct.
@Suite struct HTTPErrorBlameTests {
    /// A kind of error, its blame, and the documented answer to whether a retry is safe.
    ///
    /// The blame holds for every payload, except for those that the tables name.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let kind: HTTPError.Kind
        let blame: HTTPError.Blame
        let sentAgain: String

        var testDescription: String { name }

        init(
            _ name: String,
            _ kind: HTTPError.Kind,
            _ blame: HTTPError.Blame,
            _ sentAgain: String
        ) {
            self.name = name
            self.kind = kind
            self.blame = blame
            self.sentAgain = sentAgain
        }
    }

    private static let mismatch: HTTPError.Kind = {
        let zeros = "sha256:" + String(repeating: "0", count: 64)
        let ones = "sha256:" + String(repeating: "1", count: 64)
        guard let expected = try? HTTPDigest(zeros), let received = try? HTTPDigest(ones) else {
            return .cancelled
        }
        return .digestMismatch(expected: expected, received: received)
    }()

    static let rows = [
        Row("invalidRequest", .invalidRequest(.noProxy), .caller, "yes"),
        Row("resolveFailed", .resolveFailed(host: "a", reason: "b"), .network, "yes"),
        Row("connectFailed", .connectFailed([]), .network, "yes"),
        Row("addressesRefused", .addressesRefused(host: "a", []), .caller, "yes"),
        Row("bindFailed", .bindFailed(local: "a", reason: "b"), .machine, "yes"),
        Row("proxyFailed", .proxyFailed(.unsolicitedBytes), .peer, "yes"),
        Row("tlsFailed", .tlsFailed(.version), .peer, "evidence"),
        Row(
            "authenticationFailed",
            .authenticationFailed(.recursiveRefresh),
            .caller,
            "evidence"
        ),
        Row("bodyFailed", .bodyFailed(.tooLong(expected: 1)), .caller, "evidence"),
        Row("connectionLost", .connectionLost(reason: "a"), .peer, "evidence"),
        Row("connectionClosed", .connectionClosed(.retired), .peer, "yes"),
        Row("malformedResponse", .malformedResponse(.malformedHost), .peer, "no"),
        Row("truncatedResponse", .truncatedResponse(.headTruncated), .peer, "no"),
        Row("codingFailed", .codingFailed(.corruptCoding(.gzip)), .peer, "no"),
        Row("digestMismatch", mismatch, .peer, "no"),
        Row("digestMissing", .digestMissing(unsupported: ["a"]), .peer, "no"),
        Row("malformedDigest", .malformedDigest(field: "a", value: "b"), .peer, "no"),
        Row("limitExceeded", .limitExceeded(.limitExceeded(.headBytes(9))), .peer, "no"),
        Row("bodyTooLarge", .bodyTooLarge(limit: 1), .peer, "no"),
        Row("fileTooLarge", .fileTooLarge(limit: 1), .peer, "no"),
        Row("redirectFailed", .redirectFailed(.downgrade), .peer, "no"),
        Row("rejectedStatus", .rejectedStatus(.notFound), .peer, "no"),
        Row("rejectedResponse", .rejectedResponse(reason: "a"), .peer, "evidence"),
        Row("emptyBody", .emptyBody(.ok), .peer, "no"),
        Row("interceptorFailed", .interceptorFailed(reason: "a"), .caller, "evidence"),
        Row("dialerFailed", .dialerFailed(reason: "a"), .caller, "evidence"),
        Row("decodingFailed", .decodingFailed(reason: "a"), .peer, "no"),
        Row("undecodableText", .undecodableText(.unknownCharset("a")), .peer, "no"),
        Row("rangeMismatch", .rangeMismatch(.notRequested), .peer, "no"),
        Row("recordFailed", .recordFailed(.lineTooLong(limit: 1)), .peer, "no"),
        Row("resumeFailed", .resumeFailed(.representationChanged), .peer, "no"),
        Row("fileFailed", .fileFailed(path: "a", .write, reason: "b"), .machine, "evidence"),
        Row("descriptorFailed", .descriptorFailed(errno: 28, written: 5), .machine, "evidence"),
        Row("timedOut", .timedOut(.connect), .network, "evidence"),
        Row("cancelled", .cancelled, .caller, "evidence"),
        Row("systemFailure", .systemFailure(reason: "a"), .machine, "evidence"),
    ]

    @Test(arguments: rows)
    func `an error kind's label is its name`(row: Row) {
        #expect(row.kind.label == row.name)
    }

    @Test(arguments: rows)
    func `an error kind has the blame documented in the tables`(row: Row) throws {
        #expect(row.kind.blame == row.blame)
        let cells = try #require(try Self.articleRows()[row.name])
        #expect(cells[2].hasPrefix("\(row.blame)"))
        #expect(cells[3] == row.sentAgain)
        let line = try #require(try Self.treeLines()[row.name])
        #expect(line.hasSuffix(" \(row.blame)") || line.contains(" \(row.blame);"))
    }

    @Test(
        arguments: [
            (.proxyFailed(.unresolved(host: "a", reason: "b")), .network),
            (.proxyFailed(.unreachable([])), .network),
            (.proxyFailed(.socks(.invalidHostName)), .caller),
            (.proxyFailed(.socks(.invalidCredentials)), .caller),
            (.proxyFailed(.socks(.closed)), .peer), (.tlsFailed(.closed), .peer),
            (.tlsFailed(.trust(source: "a", reason: "b")), .caller),
            (.tlsFailed(.ciphers(reason: "a")), .caller),
        ] as [(HTTPError.Kind, HTTPError.Blame)]
    )
    func `the blame of some kinds depends on the payload`(
        kind: HTTPError.Kind,
        blame: HTTPError.Blame
    ) {
        #expect(kind.blame == blame)
    }

    @Test func `the tables list every error kind exactly once`() throws {
        let known = Set(Self.rows.map(\.name))
        #expect(try Self.declaredKinds() == known)
        #expect(Set(try Self.articleRows().keys) == known)
        #expect(Set(try Self.treeLines().keys) == known)
    }

    // MARK: - Documented tables

    private static func lines(of path: String) throws -> [Substring] {
        let root = "\(#filePath)".split(separator: "/").dropLast(5).joined(separator: "/")
        let bytes = try #require(TestFileSystem.contents(of: "/\(root)/Sources/\(path)"))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// Returns the declared cases of the enum, from its first line to the next declaration.
    private static func declaredKinds() throws -> Set<String> {
        let lines = try lines(of: "HTTPClientModel/Model/Errors/HTTPError.swift")
        let start = try #require(lines.firstIndex { $0.contains("enum Kind:") })
        let kinds = lines[start...].prefix { $0 != "    }" }.compactMap { line -> String? in
            guard line.hasPrefix("        case ") else { return nil }
            return String(line.dropFirst(13).prefix { $0 != "(" })
        }
        return Set(kinds)
    }

    private static func articleRows() throws -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for line in try lines(of: "HTTPClient/HTTPClient.docc/Errors.md")
        where line.hasPrefix("| `") {
            let cells = line.dropFirst(2).dropLast(2).split(separator: " | ").map(String.init)
            try #require(cells.count == 4)
            rows[String(cells[0].dropFirst().dropLast())] = cells
        }
        return rows
    }

    /// Returns the lines of the tree in the doc comment of the type.
    private static func treeLines() throws -> [String: Substring] {
        var rows: [String: Substring] = [:]
        for line in try lines(of: "HTTPClientModel/Model/Errors/HTTPError.swift")
        where line.hasPrefix("///     ") {
            guard let mark = line.firstRange(of: "── ") else { continue }
            rows[String(line[mark.upperBound...].prefix { $0.isLetter })] = line
        }
        return rows
    }
}
