import SocketTransport
import Support

/// Connects a client engine and a server engine back to back through byte arrays.
final class EnginePair {
    let client: TLSEngine
    let server: TLSEngine
    var clientFailure: TLSError?
    var serverFailure: TLSError?
    /// Bytes handed over at a time.
    let step: Int
    /// Bytes the two have exchanged.
    var byteCount = 0

    init(
        client: TLSContext,
        server: TLSContext,
        host: String = "good.test",
        step: Int = .max
    ) throws {
        self.client = try TLSEngine(context: client, role: .client(host: host))
        self.server = try TLSEngine(context: server, role: .server)
        self.step = step
    }

    /// Runs both handshakes until nothing moves any more.
    func handshake() {
        repeat {
            clientFailure = clientFailure ?? advance(client)
            serverFailure = serverFailure ?? advance(server)
        } while move()
    }

    /// Carries all ciphertext over.
    ///
    /// - Returns: whether there was any.
    @discardableResult
    func move() -> Bool {
        let there = transfer(from: client, to: server)
        let back = transfer(from: server, to: client)
        return there || back
    }

    private func advance(_ engine: TLSEngine) -> TLSError? {
        do {
            _ = try engine.stepHandshake()
            return nil
        } catch {
            return error
        }
    }

    private func transfer(from source: TLSEngine, to sink: TLSEngine) -> Bool {
        let bytes = source.takeOutput()
        byteCount += bytes.count
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + min(step, bytes.count))
            sink.feed(bytes[start..<end].span)
            _ = advance(sink)
            start = end
        }
        return !bytes.isEmpty
    }
}

extension TLSEngine {
    /// Takes all ciphertext that waits to be sent.
    func takeOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        withOutput { span in
            bytes = span.indices.map { span[$0] }
            return span.count
        }
        return bytes
    }

    /// Reads what there is, at most `limit` bytes.
    func readAll(limit: Int = 1 << 20) throws(TLSError) -> (bytes: [UInt8], last: ReadOutcome) {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
        while true {
            var span = buffer.mutableSpan
            let outcome = try read(into: &span)
            guard case .bytes(let count) = outcome else { return (result, outcome) }
            result += buffer[..<count]
        }
    }

    func writeText(_ text: String) throws(TLSError) {
        let bytes = [UInt8](text.utf8)
        _ = try write(bytes.span)
    }
}

/// Names what one engine test needs.
struct TLSSettings {
    var client = TLSConfiguration()
    var server: TLSConfiguration.Identity
    var serverVersions = (TLSVersion.tls12, TLSVersion.tls13)
    var serverProtocols = ["http/1.1"]
    var clientTrust: TLSConfiguration.Trust?
    var host = "good.test"
    var step = Int.max

    /// A good server for good.test, and a client that trusts its root.
    init(_ identity: TLSConfiguration.Identity? = nil, host: String = "good.test") throws {
        let certificates = try TestCertificates.shared.get()
        server = try identity ?? certificates.chained("good.test")
        client.trust = .certificates(pem: certificates.root.certificate)
        self.host = host
    }

    func pair() throws -> EnginePair {
        let pair = try EnginePair(
            client: TLSContext(client: client),
            server: serverContext(),
            host: host,
            step: step
        )
        pair.handshake()
        return pair
    }

    func serverContext() throws -> TLSContext {
        try TLSContext(
            server: server,
            applicationProtocols: serverProtocols,
            minimumVersion: serverVersions.0,
            maximumVersion: serverVersions.1,
            clientTrust: clientTrust
        )
    }
}
