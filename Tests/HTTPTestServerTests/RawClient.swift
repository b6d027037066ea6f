import SocketTransport

/// A client that sends literal bytes to a server and returns the response bytes until the close.
enum RawClient {
    /// Sends the pieces and returns all received bytes as text.
    ///
    /// - Parameters:
    ///   - pieces: The pieces; each is sent when the kernel has accepted the one before.
    ///   - port: The port of the server.
    static func exchange(_ pieces: [String], port: Int) async throws -> String {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        return try await Task(executorPreference: loop) {
            let address = SocketAddress(literal: "127.0.0.1", port: UInt16(port))!
            let stream = try await Connector.connect(
                to: [address],
                on: loop,
                until: limit,
                in: CancellationScope()
            )
            for piece in pieces { try await send(Array(piece.utf8), over: stream) }
            return String(decoding: await receiveAll(from: stream), as: UTF8.self)
        }.value
    }

    private static func send(
        _ bytes: [UInt8],
        over stream: SocketStream
    ) async throws {
        var sent = 0
        while sent < bytes.count {
            let taken = try stream.send(bytes.span.extracting(sent..<bytes.count))
            if taken == 0 { try await stream.wait(for: .writable, until: limit) }
            sent += taken
        }
    }

    /// Returns the bytes received until the end; after an error, its description is appended.
    private static func receiveAll(from stream: SocketStream) async -> [UInt8] {
        var received: [UInt8] = []
        while true {
            do {
                switch try receive(from: stream, into: &received) {
                case .bytes: continue
                case .wouldBlock: try await stream.wait(for: .readable, until: limit)
                case .end, .truncated: return received
                }
            } catch {
                return received + Array("<\(error)>".utf8)
            }
        }
    }

    private static func receive(
        from stream: SocketStream,
        into received: inout [UInt8]
    ) throws -> ReceiveOutcome {
        var room = [UInt8](repeating: 0, count: 4096)
        var target = room.mutableSpan
        let outcome = try stream.receive(into: &target)
        if case .bytes(let count) = outcome { received += room[..<count] }
        return outcome
    }

    /// A long deadline that only ends a hang: on a machine with two cores the server under test waits for
    /// all other suites of the process.
    private static var limit: Deadline { .now().advanced(by: .seconds(120)) }
}
