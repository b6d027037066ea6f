#if DEBUG
import Glibc
package import HTTPClient
package import SocketTransport
package import Support
import Synchronization
import Testing

/// The form of a request body of known length.
package enum UploadForm: CaseIterable, Sendable {
    case bytes
    case stream
    /// A file that is long enough for sendfile(2).
    case file

    /// Returns a body with these bytes.
    package func body(_ bytes: [UInt8], in directory: TemporaryDirectory) throws -> HTTPBody {
        switch self {
        case .bytes: return .bytes(bytes)
        case .stream:
            let pieces = AsyncStream<[UInt8]> { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }
            return .stream(pieces, length: bytes.count)
        case .file: return .file(try directory.write(bytes, as: "body"))
        }
    }
}

/// A client in simulated time, with a peer that a closure plays.
///
/// Everything runs on one thread. The clock advances only when neither the client nor the peer can do
/// anything, so that times can be compared exactly. A test fails if its transfer waits for another thread:
/// the simulation would poll for it, and keep a processor busy while other tests need it.
package struct SimulatedTransfer: Sendable {
    /// The peer's end of each request; it reads the request and writes the response.
    package typealias Serve = @Sendable (HTTPDialRequest.PeerStream) async throws -> Void

    private struct Dialer: HTTPDialer {
        let serve: Serve

        func dial(_ request: HTTPDialRequest) throws -> HTTPDialRequest.Outcome { .stream(serve) }
    }

    package static let start = Deadline(nanoseconds: 1_000_000_000)

    /// The time since the start in milliseconds.
    package static var milliseconds: Int64 {
        (Deadline.now().nanoseconds - start.nanoseconds) / 1_000_000
    }

    /// Runs `body` with a client whose requests `serve` answers.
    ///
    /// - Parameters:
    ///   - configure: a closure that changes the configuration.
    ///   - serve: the peer of each request.
    ///   - body: the test.
    /// - Returns: the result of the test; nil if it has thrown an error.
    package static func run<Value: Sendable>(
        configure: @escaping @Sendable (inout HTTPClientConfiguration) -> Void = { _ in },
        serve: @escaping Serve,
        _ body: @escaping @Sendable (HTTPClient) async throws -> Value
    ) async -> Value? {
        let (value, waits) = await onThread { () -> (Value?, Int) in
            SimulatedTime.now = start
            defer { SimulatedTime.now = nil }
            let loop = EventLoop.callerDriven()
            var waits = 0
            loop.simulation = { next in
                if next == .never {
                    waits += 1
                    // Another thread has to act.
                    usleep(1000)
                } else if next > .now() {
                    SimulatedTime.now = next
                }
            }
            var configuration = HTTPClientConfiguration()
            configuration.dialer = Dialer(serve: serve)
            configure(&configuration)
            let client = HTTPClient(configuration, simulatedOn: loop, seed: 1)
            let value = try? loop.drive { try? await body(client) } ?? nil
            // This runs the tasks that are still queued. They retain the loop and the client, which
            // would leak.
            try? loop.drive { await Task.yield() }
            return (value, waits)
        }
        #expect(waits == 0, "the simulation has waited for another thread")
        return value
    }

    private struct Sleeper: HTTPDialer {
        let duration: Duration

        func dial(_ request: HTTPDialRequest) throws -> HTTPDialRequest.Outcome {
            let duration = duration
            return .stream { stream in
                try await stream.readHead()
                try await stream.wait(for: duration)
                try await stream.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
    }

    /// Waits in simulated time, by a request that takes as long.
    package static func sleep(_ duration: Duration, in client: HTTPClient) async throws {
        let sleeper = client.with {
            $0.dialer = Sleeper(duration: duration)
            $0.timeouts.responseHead = nil
        }
        _ = try await sleeper.send("http://sleep/")
    }
}

extension HTTPDialRequest.PeerStream {
    /// Waits without reading, unlike ``wait(for:)``; call it in the closure that serves the stream.
    package func stop(for duration: Duration) async throws {
        let suspension = Suspension<Void>(on: end.value.loop, phase: .read)
        // Nothing resumes the suspension: it ends at its deadline.
        try? await suspension.wait(until: Deadline.now().advanced(by: duration))
    }

    /// Reads until the end of the head, and returns the bytes after it.
    @discardableResult
    package func readHead() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try await read()
            guard !piece.isEmpty else { return [] }
            bytes += piece
            let end = Array("\r\n\r\n".utf8)
            for index in bytes.indices.dropLast(3) where bytes[index..<index + 4].elementsEqual(end)
            {
                return Array(bytes[(index + 4)...])
            }
        }
    }
}

/// A record of values in the order in which they were added.
package final class SharedLog<Entry: Sendable>: Sendable {
    private let kept = Mutex<[Entry]>([])

    package init() {}

    package var entries: [Entry] { kept.withLock { $0 } }

    package func add(_ entry: Entry) { kept.withLock { $0.append(entry) } }
}
#endif
