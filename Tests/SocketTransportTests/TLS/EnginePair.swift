import HTTPTestServer
import SocketTransport
import Support

/// A client engine and a server engine that exchange bytes in memory.
final class EnginePair {
    let client: TLSEngine
    let server: TLSEngine
    var clientFailure: TLSError?
    var serverFailure: TLSError?
    /// The maximum number of bytes that are passed at once.
    let step: Int
    /// The number of bytes that the engines have exchanged.
    var byteCount = 0

    init(
        client: TLSContext,
        server: TLSContext,
        host: String = "good.test",
        port: Int = 443,
        step: Int = .max
    ) throws {
        self.client = try TLSEngine(context: client, role: .client(host: host, port: port))
        self.server = try TLSEngine(context: server, role: .server)
        self.step = step
    }

    /// Runs both handshakes until no more bytes are exchanged.
    func handshake() {
        repeat {
            clientFailure = clientFailure ?? advance(client)
            serverFailure = serverFailure ?? advance(server)
        } while move()
    }

    /// Passes all ciphertext to the other side, in both directions.
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
    /// Removes and returns all ciphertext that is waiting to be sent.
    func takeOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        withOutput { span in
            bytes = span.indices.map { span[$0] }
            return span.count
        }
        return bytes
    }

    /// Reads all available plaintext in steps of at most `limit` bytes.
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

/// The settings of one engine test.
struct TLSSettings {
    var client = HTTPSecurity()
    var server: IssuedCertificate
    var serverVersions = (HTTPSecurity.Version.tls12, HTTPSecurity.Version.tls13)
    var serverProtocols = ["http/1.1"]
    var clientProtocols = ["http/1.1"]
    var clientTrust: HTTPSecurity.Trust?
    var host = "good.test"
    var step = Int.max

    /// Creates a valid server for good.test and a client that trusts its root.
    init(_ identity: IssuedCertificate? = nil, host: String = "good.test") throws {
        let certificates = try TestCertificates.shared.get()
        server = try identity ?? certificates.chained("good.test")
        client.trust = .pem(certificates.root.certificate)
        self.host = host
    }

    func pair() throws -> EnginePair {
        let pair = try EnginePair(
            client: TLSContext(client: client, applicationProtocols: clientProtocols),
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
