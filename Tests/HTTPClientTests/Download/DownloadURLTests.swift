#if Foundation
import FoundationEssentials
import HTTPClient
import HTTPTestServer
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct DownloadURLTests {
    @Test func `a download goes where a file URL leads, and nowhere else`() async throws {
        let server = try await HTTPTestServer.start { _ in .text("hello") }
        let folder = try TemporaryFolder()
        let client = HTTPClient()
        let url = URL(filePath: "\(folder.path)/a b.txt")
        let file = try await HTTPRequest(server.url).download(to: url, in: client)
        #expect(file.path == "\(folder.path)/a b.txt")
        #expect(Folder.contents(of: file.path) == Array("hello".utf8))
        let web = try #require(URL(string: "https://example.com/a"))
        let error = await failure {
            try await HTTPRequest(server.url).download(to: web, in: client)
        }
        guard case .fileFailed(_, .create, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test func `resume data goes through Data and back`() throws {
        let data = HTTPResumeData(
            url: "http://a/",
            validator: "\"é\"",
            offset: 1,
            total: nil,
            file: "/tmp/ü"
        )
        #expect(try HTTPResumeData(data.data) == data)
        #expect(throws: ResumeFault.foreign) { try HTTPResumeData(Data([0xFF])) }
    }
}
#endif
