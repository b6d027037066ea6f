import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Calls whose stored response has a damaged file, from the damage to the bytes that the caller gets.
@Suite(.timeLimit(.minutes(10))) struct DamagedEntryTests {
    /// A change of the files of one URL.
    enum Damage: CaseIterable, Sendable {
        case truncatedContent
        case changedByteOfContent
        case contentOfAnotherEntry
        case truncatedMetadata
        case metadataOfAnotherURL

        /// Changes the files of one URL, whose content has this length; `other` has those of another.
        fileprivate func apply(to files: Files, _ other: Files, length: Int) throws {
            switch self {
            case .truncatedContent: try Self.change(files.content) { $0.removeLast($0.count / 2) }
            case .changedByteOfContent: try Self.change(files.content) { $0[length * 9 / 10] ^= 1 }
            case .contentOfAnotherEntry: TestFileSystem.rename(other.content, to: files.content)
            case .truncatedMetadata: try Self.change(files.metadata) { $0.removeLast($0.count / 2) }
            case .metadataOfAnotherURL: TestFileSystem.rename(other.metadata, to: files.metadata)
            }
        }

        private static func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
            var bytes = try #require(TestFileSystem.contents(of: path))
            body(&bytes)
            try TestFileSystem.write(bytes, to: path)
        }
    }

    /// The paths of the files of a URL with one stored response.
    fileprivate struct Files {
        let metadata: String
        let content: String

        init(of url: String, in directory: String) throws {
            let folder = directory + "/v1"
            let base = try CacheDirectory.baseName(of: HTTPCache.key(try URI(url)))
            let contents = TestFileSystem.names(in: folder).filter {
                $0.hasPrefix(base) && $0.hasSuffix(".body")
            }
            try #require(contents.count == 1, "\(contents)")
            metadata = "\(folder)/\(base).meta"
            content = "\(folder)/\(contents[0])"
        }
    }

    /// The state of a store when a file is damaged.
    private enum Store {
        /// Another process, or the same program later.
        case new
        /// It has read the files and remembers the metadata.
        case used
    }

    /// Returns a content that differs from that of every other number.
    private static func content(_ number: Int, _ length: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: length)
    }

    /// Creates a client with a new cache in a directory.
    private func client(of origin: CachedOrigin, _ directory: String) -> HTTPClient {
        // The status of a file is trusted at once, so that the store knows metadata that was just written.
        let limits = DirectoryCacheStore.Limits(maxBytes: 64 << 20, settlingTime: -60)
        let cache = HTTPCache(store: DirectoryCacheStore(directory, limits))
        return origin.client { $0.cache = .cache(cache) }
    }

    private func fetch(
        _ url: String,
        in client: HTTPClient,
        isStreamed: Bool
    ) async throws -> (body: [UInt8], outcome: HTTPResponse.CacheStatus.Outcome?) {
        guard isStreamed else {
            let response = try await client.send(url)
            return (response.body, response.cacheStatus?.outcome)
        }
        let response = try await client.stream(url)
        return (try await response.body.collect(), response.cacheStatus?.outcome)
    }

    // A content of one chunk is verified when it is opened, and a longer one chunk by chunk.
    @Test(arguments: Damage.allCases, [8, 300_000])
    func `a damaged response is fetched again, and the new one is stored`(
        damage: Damage,
        length: Int
    ) async throws {
        for (isStreamed, store) in [
            (false, Store.new), (false, .used), (true, .new), (true, .used),
        ] {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/cache"
            let number = Locked(0)
            let origin = try await CachedOrigin { _ in
                let now = number.withLock { number in
                    number += 1
                    return number
                }
                return .bytes(Self.content(now, length)).header(.cacheControl, "max-age=60")
            }
            var client = client(of: origin, path)
            let (url, other) = (origin.server.url + "/a", origin.server.url + "/b")
            for url in [url, other] {
                let first = try await fetch(url, in: client, isStreamed: isStreamed)
                #expect(first.outcome == .miss)
                let hit = try await fetch(url, in: client, isStreamed: isStreamed)
                #expect(hit.outcome == .hit && hit.body == first.body)
            }
            #expect(origin.count == 2)
            let (files, others) = try (Files(of: url, in: path), Files(of: other, in: path))
            try damage.apply(to: files, others, length: length)
            if store == .new { client = self.client(of: origin, path) }
            let again = try await fetch(url, in: client, isStreamed: isStreamed)
            #expect(again.outcome == .miss && again.body == Self.content(3, length))
            #expect(origin.count == 3)
            let hit = try await fetch(url, in: client, isStreamed: isStreamed)
            #expect(hit.outcome == .hit && hit.body == Self.content(3, length))
            #expect(origin.count == 3)
        }
    }
}
