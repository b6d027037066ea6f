import ClientSupport
import HTTPClient
import HTTPClientTesting
import HTTPTestServer
import Testing

private enum Priority: String, HTTPJSON.Convertible {
    case high
}

/// Tests that literals with variables keep the order of their members at every depth.
@Suite(.timeLimit(.minutes(10))) struct HTTPJSONConvertibleTests {
    private static let title = "tea"
    private static let count = 3
    private static let tags = ["b", "a"]
    private static let missing: String? = nil

    @Test func `a literal with variables keeps the order of its members`() {
        let (title, count, tags, missing) = (Self.title, Self.count, Self.tags, Self.missing)
        let rows: [(HTTPBody, String)] = [
            (.json(["zeta": title, "alpha": 2]), #"{"zeta":"tea","alpha":2}"#),
            (
                .json(["zeta": title, "mu": title, "alpha": title]),
                #"{"zeta":"tea","mu":"tea","alpha":"tea"}"#
            ),
            (.json(["z": "1", "b": 2, "a": nil]), #"{"z":"1","b":2,"a":null}"#),
            (
                .json(["z": count + 1, "y": title + "!", "a": count > 1]),
                #"{"z":4,"y":"tea!","a":true}"#
            ),
            (.json(["z": tags, "a": missing]), #"{"z":["b","a"],"a":null}"#),
            (.json(["z": 1, "user": ["z": 1, "a": "x"]]), #"{"z":1,"user":{"z":1,"a":"x"}}"#),
            (
                .json([
                    "z": title, "user": ["z": count, "name": ["y": missing, "x": 1.5]], "a": 1,
                ]),
                #"{"z":"tea","user":{"z":3,"name":{"y":null,"x":1.5}},"a":1}"#
            ),
            (
                .json([
                    "list": [["z": title, "a": 1], ["z": title, "a": 2]],
                    "a": tags.map { $0 + "!" },
                ]),
                #"{"list":[{"z":"tea","a":1},{"z":"tea","a":2}],"a":["b!","a!"]}"#
            ),
            (.json([["z": title, "a": 1], ["y": 1]]), #"[{"z":"tea","a":1},{"y":1}]"#),
            (.json([title, "x", count]), #"["tea","x",3]"#),
            (.json(["z": .string(title), "a": .integer(count)]), #"{"z":"tea","a":3}"#),
            (
                .json(["z": HTTPJSON([1, title]), "a": HTTPJSON(["z": title, "a": 1])]),
                #"{"z":[1,"tea"],"a":{"z":"tea","a":1}}"#
            ),
            (
                .json(["z": Priority.high, "y": UInt64.max, "a": Float(0.1)]),
                #"{"z":"high","y":18446744073709551615,"a":0.1}"#
            ),
            (.json([:]), "{}"), (.json([]), "[]"), (.json(.null), "null"),
        ]
        for (body, text) in rows {
            #expect(String(decoding: body.bytes, as: UTF8.self) == text)
        }
        #expect(
            HTTPRequest("/").json(["z": title, "a": 2]).body.bytes
                == Array(#"{"z":"tea","a":2}"#.utf8)
        )
    }

    @Test func `a repeated member name makes the request invalid`() async {
        let (title, name) = (Self.title, "a")
        let twice = HTTPRequest("http://a.example/").json([
            "z": title, "inner": [HTTPJSON.MemberName(name): title, HTTPJSON.MemberName(name): 1],
        ])
        let error = await failure { try await HTTPClient().send(twice) }
        guard case .invalidRequest(.body(let reason)) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(reason.contains("$.inner"))
    }

    @Test func `stubs answer and match literals with variables`() async throws {
        let title = Self.title
        let client = HTTPClient().with {
            $0.stubs = HTTPStubs {
                HTTPStub(
                    .json(["z": title, "a": ["y": 1, "x": title]]),
                    answer: .json(["z": title, "a": 1])
                )
            }
        }
        let request = HTTPRequest(.post, "http://a.example/").json([
            "z": title, "a": ["y": 1, "x": title],
        ])
        #expect(try await client.send(request).text == #"{"z":"tea","a":1}"#)
    }
}
