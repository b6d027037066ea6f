import SocketTransport
import Support
import Testing

@Suite struct TLSStreamOverSocketsTests {
    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13], [1, 100_000, 3_000_000])
    func `bytes cross real sockets in both directions and end cleanly`(
        version: HTTPSecurity.Version,
        count: Int
    ) async throws {
        var settings = try TLSSettings()
        settings.client.maximumVersion = version
        let client = try TLSContext(client: settings.client)
        let server = try settings.serverContext()
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let echoed = try await withTaskExecutorPreference(loop) {
            try await exchange(count, client: client, server: server, on: loop)
        }
        #expect(echoed == count)
    }
}

/// Sends `count` bytes to a server that echoes them until it receives close-notify.
@concurrent private func exchange(
    _ count: Int,
    client: TLSContext,
    server: TLSContext,
    on loop: EventLoop
) async throws -> Int {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let listener = try ListeningSocket(on: loop, address: address)
    defer { listener.close() }
    let bound = listener.address
    let door = LoopBound(listener, on: loop)
    async let echo: Void = serve(door, server)
    let socket = try await Connector.connect(
        to: [bound],
        on: loop,
        until: .never,
        in: CancellationScope()
    )
    let engine = try TLSEngine(context: client, role: .client(host: "good.test"))
    let stream = TLSStream(engine: engine, over: socket)
    try await stream.handshake(until: .never)
    let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 50_000)
    var sent = 0
    while received.count < count {
        sent += try stream.send(message.span.extracting(sent..<count))
        var span = buffer.mutableSpan
        switch try stream.receive(into: &span) {
        case .bytes(let step):
            received += buffer[..<step]
        case .wouldBlock:
            let needed: Readiness = sent < count ? [.readable, .writable] : .readable
            try await stream.wait(for: needed, until: .never)
        case .end, .truncated:
            stream.close()
            return -1
        }
    }
    stream.close()
    try await echo
    return received == message ? received.count : -2
}

/// Echoes the bytes of one client, which must end with close-notify.
@concurrent private func serve(
    _ door: LoopBound<ListeningSocket>,
    _ context: TLSContext
) async throws {
    let socket = try await door.value.accept()
    let engine = try TLSEngine(context: context, role: .server)
    let stream = TLSStream(engine: engine, over: socket)
    defer { stream.close() }
    try await stream.handshake(until: .never)
    var buffer = [UInt8](repeating: 0, count: 70_000)
    while true {
        var span = buffer.mutableSpan
        switch try stream.receive(into: &span) {
        case .bytes(let count):
            var sent = 0
            while sent < count {
                sent += try stream.send(buffer.span.extracting(sent..<count))
                if sent < count { try await stream.wait(for: .writable, until: .never) }
            }
        case .wouldBlock:
            // No flush is needed, because the wait itself sends the remaining bytes.
            try await stream.wait(for: .readable, until: .never)
        case .end:
            return
        case .truncated:
            throw TransportError.tls(.failed(.closed))
        }
    }
}
