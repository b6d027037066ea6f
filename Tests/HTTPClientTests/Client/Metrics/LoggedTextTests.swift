import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing
import Wire

/// Tests every text that programs log with every place of a secret, and with everything that breaks lines.
///
/// A new text becomes a row of ``texts(_:)`` or ``errors(_:)``.
@Suite(.timeLimit(.minutes(2))) struct LoggedTextTests {
    private static let secret = "hunter2"

    /// URLs with a secret.
    private static let urls = [
        "http://user:hunter2@127.0.0.1:1/a", "http://hunter2@127.0.0.1:1/a",
        "http://127.0.0.1:1/a?access_token=hunter2&x=1",
        "http://127.0.0.1:1/a?x=1&X-Amz-Signature=hunter2",
        "http://127.0.0.1:1/a?sig=hunter2", "http://127.0.0.1:1/a?user[password]=hunter2",
        "http://127.0.0.1:1/a?api%5Fkey=hunter2", "http://127.0.0.1:1/a#id_token=hunter2",
        "http://127.0.0.1:1/a?code=hunter2#hunter",
    ]

    /// Header fields with a secret.
    private static let fields: [(String, String)] = [
        ("Authorization", "Bearer hunter2"), ("Proxy-Authorization", "Basic hunter2"),
        ("Cookie", "a=1; sid=hunter2"), ("X-Api-Key", "hunter2"),
        ("X-Amz-Security-Token", "hunter2"),
        ("Referer", "http://u:hunter2@a.test/"), ("Referer", "http://a.test/?token=hunter2"),
        ("Origin", "http://u:hunter2@a.test"), ("Destination", "/a?access_token=hunter2"),
        ("Link", "<http://a.test/b>; rel=\"a\", <http://a.test/?sig=hunter2>; rel=\"b\""),
        ("Refresh", "0; url=http://u:hunter2@a.test/"), ("X-Original-URL", "/a?password=hunter2"),
    ]

    /// What must not stand in a line of a log.
    private static let breaks = [
        "\r\n", "\n", "\r", "\u{B}", "\u{C}", "\0", "\u{1B}[2J", "\u{7F}", "\u{85}", "\u{2028}",
        "\u{2029}",
        "\u{202E}", "\u{2066}", "\u{200F}",
    ]

    /// Returns the texts that describe a request that cannot be sent or was not answered.
    private func texts(_ request: HTTPRequest) async throws -> [String: String] {
        let recorder = HTTPArchiveRecorder()
        let client = HTTPClient().with { $0.observers = [recorder] }
        var texts = [
            "curlDescription": request.curlDescription,
            "urlDescription": request.urlDescription(),
        ]
        do throws(HTTPError) {
            _ = try await client.send(request)
            Issue.record("the request was answered")
        } catch {
            texts["error"] = "\(error)"
            texts["reflected error"] = String(reflecting: error)
            texts["kind of the error"] = "\(error.kind)"
            // One line for each step, and no URL.
            texts["waterfall"] = error.metrics.waterfall
        }
        texts["archive"] = String(decoding: recorder.encoded(), as: UTF8.self)
        if let command = try? request.curlDescription(in: client) {
            texts["curl of the client"] = command
        }
        return texts
    }

    /// Returns the texts of errors that carry a text of the caller or of the peer.
    private func errors(_ text: String) -> [String: String] {
        let kinds: [HTTPError.Kind] = [
            .invalidRequest(.url(text, .invalidURI(.forbiddenByte, offset: 0))),
            .invalidRequest(.relativeURL(text)), .invalidRequest(.missingScheme(text)),
            .invalidRequest(.missingScheme(String(text.dropFirst(5)))),
            .invalidRequest(.template(text, .invalidLiteral(offset: 0))),
            .redirectFailed(.invalidLocation(text)),
            .redirectFailed(.differentLocations([text, "/a"])),
        ]
        return Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ("error \($0)", "\($1)") })
    }

    /// Returns the texts of errors whose texts are not URLs.
    private func otherErrors(_ text: String) -> [String: String] {
        let kinds: [HTTPError.Kind] = [
            .resolveFailed(host: text, reason: text), .connectionLost(reason: text),
            .invalidRequest(.unsupportedScheme(text)), .redirectFailed(.unsupportedScheme(text)),
            .invalidRequest(.framingField(text)), .invalidRequest(.headModifier(reason: text)),
            .rejectedResponse(reason: text), .interceptorFailed(reason: text),
            .dialerFailed(reason: text),
            .fileFailed(path: text, .write, reason: text), .bodyFailed(.thrown(description: text)),
            .malformedDigest(field: text, value: text),
            .authenticationFailed(.provider(description: text)),
            .recordFailed(.notEventStream(contentType: text)), .systemFailure(reason: text),
        ]
        return Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ("error \($0)", "\($1)") })
    }

    @Test(arguments: urls)
    func `no text shows the secret of a URL`(_ url: String) async throws {
        let texts = try await texts(HTTPRequest(url)).merging(errors(url)) { $1 }
        for (name, text) in texts {
            #expect(!text.contains(Self.secret), "\(name)")
            if name != "waterfall" { #expect(text.contains("127.0.0.1:1"), "\(name): \(text)") }
        }
    }

    @Test(arguments: fields)
    func `no text shows the secret of a field`(_ name: String, _ value: String) async throws {
        var request = HTTPRequest("http://127.0.0.1:1/a")
        request.headers.append(FieldName(name), value)
        for (text, shown) in try await texts(request) {
            #expect(!shown.contains(Self.secret), "\(text)")
        }
    }

    @Test(arguments: breaks)
    func `no text has a second line or controls a terminal`(_ text: String) async throws {
        let forged = "http://a\(text)forged.test/b\(text)?c=\(text)#\(text)"
        let texts = try await texts(HTTPRequest(forged))
        for (name, text) in texts.merging(errors(forged), uniquingKeysWith: { $1 })
        where name != "waterfall" {
            check(text, name)
        }
        for (name, text) in otherErrors(forged) { check(text, name) }
        for method in ["GET\(text)X", "\(text)"] {
            let request = HTTPRequest("http://127.0.0.1:1/", method: HTTPMethod(method))
            for (name, text) in try await self.texts(request) where name.contains("error") {
                check(text, name)
            }
        }
        do throws(HTTPError) {
            _ = try await HTTPClient().tunnel(to: "a\(text)X: y", port: 22)
            Issue.record("a tunnel to a host with a line break")
        } catch {
            check("\(error)", "tunnel")
        }
    }

    private func check(
        _ text: String,
        _ name: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let found = Self.breaks.filter { text.contains($0.unicodeScalars.first!) }
        #expect(found == [], "\(name): \(text.debugDescription)", sourceLocation: location)
    }
}

extension String {
    fileprivate func contains(_ scalar: UnicodeScalar) -> Bool {
        unicodeScalars.contains(scalar)
    }
}
