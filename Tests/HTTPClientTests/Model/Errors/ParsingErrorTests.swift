import ClientSupport
import HTTPClient
import HTTPTestServer
import Testing

/// Tests that parsing functions throw the error of calls.
@Suite(.timeLimit(.minutes(10))) struct ParsingErrorTests {
    /// Parses a text of each kind, and makes a call, in one `do` with a typed error.
    ///
    /// That it compiles is a part of the test.
    private func load(_ texts: Texts, from url: String) async -> HTTPError? {
        do throws(HTTPError) {
            var client = HTTPClient()
            let proxy = try HTTPProxy(texts.proxy)
            client = client.with { $0.proxy = .proxy(proxy, except: "127.0.0.1") }
            let digest = try HTTPDigest(texts.digest)
            let netrc = try HTTPNetrc(text: texts.netrc)
            client = client.with { $0.authentication = .netrc(netrc) }
            let template = try URITemplate(texts.template)
            let path = try template.expand(["name": texts.value])
            let json = try HTTPJSON(parsing: texts.json)
            _ = try CookieJar.FileFormat.decode(Array(texts.cookies.utf8))
            if !texts.resumeData.isEmpty { _ = try HTTPResumeData(texts.resumeData) }
            let response = try await client.send(HTTPRequest(.post, url + path, body: .json(json)))
            #expect(try HTTPDigest.sha256(of: response.body) == digest)
            return nil
        } catch {
            return error
        }
    }

    private struct Texts {
        var proxy = "http://127.0.0.1:1"
        var digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        var netrc = "machine a login b"
        var template = "/{name}"
        var value: any HTTPParameters.Convertible = "x"
        var json = "[1]"
        var cookies = ""
        var resumeData = ""
    }

    @Test func `one typed error handles parsing and calls`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("abc") }
        #expect(await load(Texts(), from: server.url) == nil)
        let rows: [(WritableKeyPath<Texts, String>, String, String)] = [
            (\.proxy, "ftp://p", "the scheme \"ftp\" of the proxy"),
            (\.digest, "sha256:0", "is not a digest"),
            (\.netrc, "machine \"a", "the quote in line 1"),
            (\.template, "/{name", "the brace at 1 is not closed"),
            (\.json, "[1,]", "the text is not JSON: a \"]\" is not allowed there (byte 3"),
            (\.cookies, "a\n", "the text is not a cookie file: line 1: it has 1 columns"),
            (\.resumeData, "x", "this is not resume data"),
        ]
        for (text, value, description) in rows {
            var texts = Texts()
            texts[keyPath: text] = value
            let error = try #require(await load(texts, from: server.url))
            #expect("\(error)".contains(description), "\(error)")
            #expect(error.blame == .caller)
            #expect(error.phase == .preparing)
        }
        var texts = Texts()
        texts.value = Double.nan
        let error = await load(texts, from: server.url)
        #expect(
            error?.kind
                == .invalidRequest(
                    .template("/{name}", .invalidValue(variable: "name", .notANumber))
                )
        )
    }
}
