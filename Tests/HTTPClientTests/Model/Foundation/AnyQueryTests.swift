#if Foundation
import ClientSupport
import FoundationEssentials
import HTTPClient
import Testing

private struct Place: Encodable {
    var name: String
    var tags: [String]
}

private struct Broken: Encodable {
    struct Inner: Encodable {
        func encode(to encoder: any Encoder) throws {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "broken"
            )
            throw EncodingError.invalidValue(self, context)
        }
    }

    var inner = Inner()
}

private struct Opaque {}

@Suite struct AnyQueryTests {
    @Test func `values of any type become query parameters, sorted by name`() {
        let values: [String: Any] = [
            "text": "a b", "number": 5, "half": 0.5, "open": true,
            "when": Date(timeIntervalSince1970: 0),
            "list": [1, "x"] as [Any], "inner": ["b": 2, "a": [true]] as [String: Any],
            "place": Place(name: "Rome", tags: ["x"]), "none": Int?.none as Any,
        ]
        let style = HTTPParameters.Style(array: .indices)
        let request = HTTPRequest("http://a/").query(values, style: style)
        let expected: HTTPParameters = [
            "half": 0.5, "inner": ["a": [true], "b": 2] as HTTPParameters.ParameterValue,
            "list": [1, "x"] as HTTPParameters.ParameterValue,
            "none": HTTPParameters.ParameterValue.null, "number": 5, "open": true,
            "place": ["name": "Rome", "tags": ["x"]] as HTTPParameters.ParameterValue,
            "text": "a b",
            "when": HTTPParameters.ParameterValue.date(secondsSince1970: 0),
        ]
        #expect(request.url == HTTPRequest("http://a/").query(expected, style: style).url)
        #expect(request.url.contains("inner"))
    }

    @Test func `a literal keeps its order, and a typed dictionary is sorted`() {
        let request = HTTPRequest("http://a/")
        #expect(request.query(["b": 1, "a": 2]).url == "http://a/?b=1&a=2")
        let typed: [String: any HTTPParameters.Convertible] = ["b": 1, "a": 2]
        #expect(request.query(typed).url == "http://a/?a=2&b=1")
        let numbers: [String: Int] = ["b": 1, "a": 2]
        #expect(request.query(numbers).url == "http://a/?a=2&b=1")
    }

    @Test func `a value that is not a parameter is reported with its full name`() async {
        let deep = (0..<600).reduce(1 as Any) { inner, _ in [inner] as [Any] }
        let rows: [([String: Any], String, HTTPParameters.EncodingError)] = [
            (["x": Opaque()], "x", .unsupportedType("Opaque")),
            (
                ["x": ["y": [1, Opaque()] as [Any]] as [String: Any]], "x[y][1]",
                .unsupportedType("Opaque")
            ),
            (["x": Broken()], "x[inner]", .thrown(description: "broken")),
            (
                ["x": ["y": Broken()] as [String: Any]], "x[y][inner]",
                .thrown(description: "broken")
            ),
            (["x": deep], "x[0][0]", .tooDeep(limit: 512)),
            (["x": Double.nan], "x", .notANumber),
        ]
        for (values, name, reason) in rows {
            let error = await failure {
                try await HTTPRequest("http://127.0.0.1:1/").query(values).send()
            }
            #expect(error?.kind == .invalidRequest(.parameter(name: name, reason)))
        }
    }
}
#endif
