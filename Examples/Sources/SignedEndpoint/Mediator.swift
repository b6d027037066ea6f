import Foundation
import HTTPClient

/// The owner of an access token and a private key, which signs without handing out the key.
protocol Mediator: Sendable {
    /// The public key as a JSON Web Key.
    var publicKey: HTTPJSON { get }
    /// Returns the current access token.
    func token() async throws -> String
    /// Returns the ES256 signature of bytes: the 64 bytes of r and s.
    func sign(_ bytes: [UInt8]) async throws -> [UInt8]
}

/// A mediator whose key is in a file and which signs with the program `openssl`.
///
/// A service would use the package swift-crypto or a key store: a process for each signature takes milliseconds, and a
/// key in a file can be copied.
struct OpenSSLMediator: Mediator {
    let publicKey: HTTPJSON
    private let accessToken: String
    private let keyFile: String

    /// Creates a key in a directory.
    init(token: String, directory: URL) async throws {
        accessToken = token
        keyFile = directory.appending(path: "key.pem").path
        try await OpenSSL.run(
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
            keyFile
        )
        let der = try await OpenSSL.run("pkey", "-in", keyFile, "-pubout", "-outform", "DER")
        // Behind a prefix of constant length, the two coordinates have 32 bytes each.
        let point = der.dropFirst(OpenSSL.publicKeyPrefix.count)
        publicKey = HTTPJSON([
            "kty": "EC", "crv": "P-256", "x": base64URL(point.prefix(32)),
            "y": base64URL(point.dropFirst(32)),
        ])
    }

    func token() async throws -> String { accessToken }

    func sign(_ bytes: [UInt8]) async throws -> [UInt8] {
        OpenSSL.rawSignature(
            der: try await OpenSSL.run("dgst", "-sha256", "-sign", keyFile, input: bytes)
        )
    }
}
