import HTTPClient
import Testing

/// Tests that random text is parsed without a trap and into consistent parts.
@Suite(.timeLimit(.minutes(10))) struct RequestTextPropertyTests {
    /// A generator of texts made of up to 16 given pieces; the same in every run.
    private struct Texts {
        private var state: UInt64

        init(_ seed: UInt64) {
            state = seed
        }

        mutating func next(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }

        mutating func text(of pieces: [String]) -> String {
            (0..<next(below: 17)).map { _ in pieces[next(below: pieces.count)] }.joined()
        }
    }

    @Test func `random templates expand and match without a trap`() throws {
        let pieces = [
            "{", "}", "{a}", "{+b*}", "{/a,b}", "{?a,b*}", "{&c}", "{;b}", "{.d*}", "{#a:2}", "a",
            "b=1",
            "/", "?", "&", ";", ".", ",", "=", "%2", "%41", "%c3%a9", "é", "*", ":3",
        ]
        let variables: [String: any HTTPParameters.Convertible] = [
            "a": "x é/", "b": ["1", "a=b", ""], "c": 7, "d": ["k": "v", "": "."],
        ]
        var texts = Texts(1)
        var parsed = 0
        var matched = 0
        for _ in 0..<6000 {
            guard let template = try? URITemplate(texts.text(of: pieces)) else { continue }
            parsed += 1
            _ = template.match(texts.text(of: pieces))
            guard let expansion = try? template.expand(variables) else { continue }
            guard let values = template.match(expansion) else { continue }
            matched += 1
            #expect(try template.expand(values) == expansion, "\(template)")
        }
        #expect(parsed > 500 && matched > 300, "\(parsed) \(matched)")
    }

    @Test func `the parts of a random URL add up to the URL`() {
        let pieces = [
            "http", "https", ":", "/", "//", "?", "#", "@", "[", "]", "[::1]", "80", "a", "é", " ",
            "%",
            "%41", "&", "=", "..", ".", "\u{301}",
        ]
        var texts = Texts(2)
        for _ in 0..<6000 {
            let text = texts.text(of: pieces)
            var request = HTTPRequest(text)
            if request.uri == nil { #expect(request.url == text) }
            let before = request.uri
            request.path = request.path
            request.query = request.query
            // Setting a part to itself changes nothing, except that an empty query loses its `?`.
            if let before, let after = request.uri, before.query?.isEmpty != true {
                #expect(after.path == before.path && after.query == before.query)
                #expect(after.host == before.host && after.port == before.port)
                #expect(after.fragment == before.fragment && after.scheme == before.scheme)
            }
            request.host = texts.text(of: pieces)
            request.path = texts.text(of: pieces)
            request.scheme = "http"
            let host = request.host
            // If the result parses, it has the host that was set, and nothing of the path became part of it.
            if let uri = request.uri { #expect(uri.host == host, "\(uri)") }
            _ = request.curlDescription
        }
    }
}
