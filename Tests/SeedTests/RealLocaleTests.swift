import Foundation
import HTTPClient
import HTTPTestServer
import Testing

@Suite("RealHTTP: Headers of a locale", .timeLimit(.minutes(10))) struct RealLocaleTests {
    @Test(arguments: [
        ("pt_BR", "pt-BR"), ("zh-Hant_TW", "zh-Hant-TW"), ("de_DE@calendar=buddhist", "de-DE"),
    ])
    func `Headers: a locale becomes the language of a request`(
        identifier: String,
        tag: String
    ) async throws {
        let server = try await echoServer()
        var request = HTTPRequest(server.url)
        request.headers.acceptLanguage = [Locale(identifier: identifier).identifier]
        #expect(request.headers[.acceptLanguage] == tag)
        #expect(try await request.send().isSuccess)
        #expect(server.requests.map { $0.headers[.acceptLanguage] } == [tag])
    }

    @Test func `Headers: the languages of the user keep their order`() {
        let preferred = Locale.preferredLanguages
        for languages in [preferred, [Locale(identifier: "pt_BR").identifier] + preferred] {
            var headers = HTTPHeaders()
            headers.acceptLanguage = languages
            let tags = languages.map { $0.replacingOccurrences(of: "_", with: "-") }
            let texts = tags.enumerated().map { index, tag in
                index == 0 ? tag : "\(tag);q=0.\(max(10 - index, 1))"
            }
            let expected: String? = texts.isEmpty ? nil : texts.joined(separator: ", ")
            #expect(headers[.acceptLanguage] == expected)
            #expect(headers.acceptLanguage == tags)
        }
    }
}
