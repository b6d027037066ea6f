internal import Foundation

/// The servers that `scripts/check-interop` started, and the cells to run.
struct Plan: Decodable, Sendable {
    /// The folder that holds `files/file.bin` and `files/small.txt`.
    let folder: String
    /// A PEM file with the certificate of every server.
    let certificate: String
    let servers: [Server]

    init(file: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        self = try JSONDecoder().decode(Plan.self, from: data)
    }
}

/// A running server, and how it differs from others.
struct Server: Decodable, Sendable {
    let name: String
    /// Its origin without TLS.
    let url: String
    /// Its origin with TLS; nil when it has none.
    let tlsURL: String?
    /// The scenarios to run.
    let scenarios: [Scenario]
    /// The scenarios that this server supports; the others are not applicable.
    let supported: Set<Scenario>
    /// The targets that differ from ``defaultTargets``, by name.
    let targets: [String: String]
    /// Whether it keeps a connection open after a response.
    let keepsAlive: Bool
    /// The steps of the scenario `keep-alive` behind which it closes the connection all the same.
    let closesAfter: [String]
    /// Whether it sends 100 (Continue) when a request asks for it.
    let continues: Bool
    /// The statuses with which it may refuse an upload.
    let refusals: [Int]
    /// Whether the scenario `tls` asks for files alone.
    let tlsFilesOnly: Bool
    /// How long that upload is.
    let refusedBytes: Int

    /// The targets of the routes, unless `targets` has others.
    private static let defaultTargets = [
        "file": "/files/file.bin", "small": "/files/small.txt", "missing": "/files/none.txt",
        "echo": "/echo", "stream": "/stream", "empty": "/empty", "redirect": "/redirect",
        "refuse": "/refuse", "cgi": "/cgi-bin/app?hello", "cgi-echo": "/cgi-bin/app?echo",
    ]

    /// The target of a route.
    func target(_ name: String) -> String {
        targets[name] ?? Self.defaultTargets[name] ?? "/\(name)"
    }

    /// The URL of a route, without TLS.
    func url(_ name: String) -> String { url + target(name) }
}
