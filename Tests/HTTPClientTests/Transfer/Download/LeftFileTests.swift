import ClientSupport
import Glibc
import HTTPClient
import Support
import Testing

/// Tests that a failed download names every file that it leaves.
@Suite(.timeLimit(.minutes(10))) struct LeftFileTests {
    enum End: CaseIterable {
        case cut
        case canceled
        case otherDigest
    }

    enum Keeping: CaseIterable {
        case standard
        case journal
        case nothing

        var options: HTTPDownloadOptions {
            switch self {
            case .standard: HTTPDownloadOptions()
            case .journal: .resume
            case .nothing: HTTPDownloadOptions(failureAction: .removePartialFile)
            }
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"v1\"\r\n\r\n"

    /// Checks that the names in a directory are those that the error names, and the file beside them.
    fileprivate static func check(
        _ error: HTTPError,
        _ directory: TemporaryDirectory,
        _ what: String
    ) {
        let names = TestFileSystem.names(in: directory.path)
        var named =
            error.partialFile.map { [String($0.dropFirst(directory.path.utf8.count + 1))] } ?? []
        // The journal stands beside the file and has its name.
        if let part = named.first, names.count == 2, part.hasSuffix(".part") {
            named.append(String(part.dropLast(5)) + ".journal")
        }
        #expect(names == named.sorted(), "\(what)")
        if let data = error.resumeData { #expect(data.file == error.partialFile, "\(what)") }
    }

    @Test(arguments: End.allCases, Keeping.allCases)
    func `every file that stays is named`(end: End, keeping: Keeping) async throws {
        let gate = Gate()
        let last: [OriginStep] =
            switch end {
            case .cut: [.reply("abcdef"), .close]
            case .canceled: [.reply("abcdef"), .pause(gate)]
            case .otherDigest: [.reply("abcdefghij")]
            }
        let origin = try ScriptedOrigin(OriginScript([.expectHead, .reply(Self.head)] + last))
        let directory = try TemporaryDirectory()
        var options = keeping.options
        if end == .otherDigest { options.expectedDigest = try .sha256(of: Array("other".utf8)) }
        let call = HTTPClient().startDownload(
            HTTPRequest(origin.url),
            to: directory.path + "/file",
            options: options
        )
        if end == .canceled {
            while !TestFileSystem.names(in: directory.path).contains(where: {
                TestFileSystem.contents(of: "\(directory.path)/\($0)")?.count == 6
            }) { await moment() }
            call.cancel()
        }
        let failed = await failure { try await call.value }
        let error = try #require(failed)
        gate.open()
        Self.check(error, directory, "\(end), \(keeping)")
        // Only a canceled download without a journal leaves nothing by default.
        let isKept = keeping == .journal || keeping == .standard && end != .canceled
        #expect((error.partialFile != nil) == isKept)
    }

    @Test func `the part on a full disk is named, also in the message`() async {
        // The limit of files belongs to a process.
        await #expect(processExitsWith: .success) {
            let size = 3_000_000
            let reply = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nETag: \"a\"\r\n\r\n"
            let body = [UInt8](repeating: 7, count: size)
            let origin = try ScriptedOrigin([
                .forever([.expectHead, .reply(Array(reply.utf8) + body)])
            ])
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 1_700_000, rlim_max: 1 << 40)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            // At its end, the process may write a profile of the lines that ran, which is larger.
            defer {
                limit.rlim_cur = limit.rlim_max
                unsafe _ = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            }
            for keeping in Keeping.allCases {
                let directory = try TemporaryDirectory()
                let request = HTTPRequest(origin.url)
                let failed = await failure {
                    try await HTTPClient().download(
                        request,
                        to: directory.path + "/file",
                        options: keeping.options
                    )
                }
                let error = try #require(failed)
                LeftFileTests.check(error, directory, "\(keeping)")
                let text = error.description
                #expect((error.partialFile != nil) == (keeping != .nothing))
                if let file = error.partialFile {
                    #expect(text.contains("the received part stays in \(file)"), "\(text)")
                }
            }
        }
    }
}
