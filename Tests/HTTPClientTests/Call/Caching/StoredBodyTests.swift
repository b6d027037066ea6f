import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// How the content of a stored response is read from a directory.
@Suite(.timeLimit(.minutes(10))) struct StoredBodyTests {
    /// The number of bytes of a chunk, which is verified as a whole.
    private static let chunkSize = 256 << 10

    /// Returns the number of system calls of this process that have read.
    private static func reads() throws -> Int {
        let text = String(
            decoding: TestFileSystem.contents(of: "/proc/self/io") ?? [],
            as: UTF8.self
        )
        let line = text.split(separator: "\n").first { $0.hasPrefix("syscr: ") }
        return try #require((line?.dropFirst(7)).flatMap { Int($0) })
    }

    /// The ways to read a stored response.
    private enum Way: CaseIterable {
        case sent
        /// With an observer, so that no call takes the short way.
        case sentByDriver
        case streamed
    }

    @Test func `a stored content is read once more to verify it, and not twice`() async throws {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let chunks = 32
            let content = [UInt8](repeating: 7, count: chunks * Self.chunkSize)
            let origin = try await CachedOrigin { _ in
                .bytes(content).header(.cacheControl, "max-age=60")
            }
            let cache = try HTTPCache(directory: directory.path + "/cache")
            let client = origin.client { $0.cache = .cache(cache) }
            let observed = client.with { $0.observers = [BodyEnds()] }
            _ = try await client.send(origin.server.url)
            for way in Way.allCases {
                let before = try Self.reads()
                let body: [UInt8]
                switch way {
                case .sent: body = try await client.send(origin.server.url).body
                case .sentByDriver: body = try await observed.send(origin.server.url).body
                case .streamed:
                    body = try await client.stream(origin.server.url).body.collect()
                }
                let count = try Self.reads() - before
                #expect(body == content && origin.count == 1)
                // The others are of events, and of the metadata.
                #expect(count >= 2 * chunks && count < 3 * chunks, "\(way): \(count) reads")
            }
        }
    }

    /// What a task got of a body: the first byte of each piece, and the error that ended it.
    private struct Reading: Sendable {
        var pieces: [UInt8] = []
        var error: HTTPError?
    }

    @Test func `an overlapping read of a stored body is refused, and the other one continues`()
        async throws
    {
        let directory = try TemporaryDirectory()
        // The first byte of a chunk is its number.
        let content = (0..<UInt8(32)).flatMap { [UInt8](repeating: $0, count: Self.chunkSize) }
        let origin = try await CachedOrigin { _ in
            .bytes(content).header(.cacheControl, "max-age=60")
        }
        let cache = try HTTPCache(directory: directory.path + "/cache")
        let ends = BodyEnds()
        let client = origin.client {
            $0.cache = .cache(cache)
            $0.observers = [ends]
        }
        _ = try await client.send(origin.server.url)
        var refusals: [HTTPError] = []
        // Reads overlap if two threads are at work at once: almost always in the first round.
        for _ in 0..<100 where refusals.isEmpty {
            let response = try await client.stream(origin.server.url)
            #expect(response.cacheStatus?.outcome == .hit)
            let readings = await withTaskGroup(of: Reading.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var reading = Reading()
                        var body = response.body.makeAsyncIterator()
                        do throws(HTTPError) {
                            while let piece = try await body.next() {
                                reading.pieces.append(piece[0])
                            }
                        } catch {
                            reading.error = error
                        }
                        return reading
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            try #require(readings.flatMap(\.pieces).sorted() == Array(0..<32))
            refusals = readings.compactMap(\.error)
        }
        #expect(!refusals.isEmpty)
        for error in refusals {
            #expect(error.kind == .invalidRequest(.overlappingRead) && error.phase == .body)
        }
        // The body itself was read to its end.
        #expect(ends.all.allSatisfy { $0 == nil } && !ends.all.isEmpty)
    }
}

/// An observer that records how streamed bodies ended.
private final class BodyEnds: HTTPObserver {
    private let ends = Locked<[HTTPError.Kind?]>([])

    var all: [HTTPError.Kind?] { ends.withLock { $0 } }

    func observe(_ step: HTTPStep, _ context: HTTPContext) {
        if case .streamed(_, let error) = step { ends.withLock { $0.append(error?.kind) } }
    }
}
