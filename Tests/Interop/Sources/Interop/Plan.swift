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

/// A running server, and its differences from the others.
struct Server: Decodable, Sendable {
    let name: String
    /// The origin without TLS.
    let url: String
    /// The origin with TLS; nil if there is none.
    let tlsURL: String?
    /// The scenarios to run.
    let scenarios: [Scenario]
    /// The scenarios that this server supports; the others are not applicable.
    let supported: Set<Scenario>
    /// The targets that differ from ``defaultTargets``, by name.
    let targets: [String: String]
    /// Whether it keeps a connection open after a response.
    let keepsAlive: Bool
    /// The steps of the scenario `keep-alive` after which it closes the connection nevertheless.
    let closesAfter: [String]
    /// Whether it sends 100 (Continue) if a request expects it.
    let continues: Bool
    /// The statuses with which it may reject an upload.
    let refusals: [Int]
    /// Whether the scenario `tls` requests only files.
    let tlsFilesOnly: Bool
    /// The length of the rejected upload in bytes.
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
