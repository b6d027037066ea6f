import SocketTransport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ListeningSocketTests {
    @Test func `an accepted connection reports the peer's own address`() async throws {
        let loop = EventLoop.threaded()
        defer { loop.stop() }
        let (peer, local, listener) = try await Task(executorPreference: loop) {
            let any = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
            let listener = try ListeningSocket(on: loop, address: any)
            var tries: [ConnectAttempt] = []
            let ours = try await Connector.connect(
                to: [listener.address],
                on: loop,
                until: .never,
                in: CancellationScope(),
                recording: &tries
            )
            let theirs = try await listener.accept()
            defer {
                ours.close()
                theirs.close()
                listener.close()
            }
            #expect(tries.map(\.outcome) == [.connected])
            #expect(tries.allSatisfy { $0.start <= $0.end })
            return (theirs.peerAddress, ours.localAddress, listener.address)
        }.value
        #expect(peer == local)
        #expect(peer?.port != listener.port)
    }
}
