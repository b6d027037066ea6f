// Protects requests with an access token and with DPoP proofs (RFC 9449): a mediator supplies the token and signs, and
// an interceptor of each call sets Authorization and DPoP. The server in this process verifies every proof.
//
//     swift run --package-path Examples SignedEndpoint        needs the program openssl
import Foundation
import HTTPClient
import HTTPTestServer

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let server = try await HTTPTestServer.start()
let client = try HTTPClient(baseURL: server.url)
do {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    let mediator = try await OpenSSLMediator(token: token, directory: directory)
    let verifier = ProofVerifier(serverURL: server.url, token: token, key: mediator.publicKey)
    server.route("/news") { _ in .text("accepted") }
    server.route("/token") { await verifier.respond(to: $0, hasToken: false) }
    server.route("/profile") { request in
        request.headers[.authorization] == "Bearer \(token)"
            ? .text("accepted") : .status(.unauthorized)
    }
    server.route("/account") { await verifier.respond(to: $0, hasToken: true) }

    let nonces = Nonces()
    func call(_ path: String, _ protection: Protection) async throws -> String {
        let endpoint = HTTPEndpoint(HTTPRequest(path).query("page", 2), .text)
            .interceptor(
                ProtectionInterceptor(protection: protection, mediator: mediator, nonces: nonces)
            )
        let text = try await client.fetch(endpoint)
        let count = server.requests(to: "/" + path).count
        return "\(text) after \(count == 1 ? "1 request" : "\(count) requests")"
    }
    print("no protection:", try await call("news", .none))
    // The first proof has no nonce yet.
    print("proof:", try await call("token", .proof))
    print("access token:", try await call("profile", .accessToken))
    print("bound token:", try await call("account", .boundToken))

    // A thief who has recorded the last request cannot use its fields.
    let sent = server.requests(to: "/account").last?.headers ?? [:]
    func steal(_ title: String, _ proof: String?) async throws {
        var request = HTTPRequest("account")
        request.headers[.authorization] = sent[.authorization]
        request.headers["DPoP"] = proof
        let response = try await client.send(request)
        print("\(title): \(response.status.code) \(response.text)")
    }
    try await steal("replay", sent["DPoP"])
    try await steal("no proof", nil)

    // Proofs of the owner of the key for something else are refused too.
    let nonce = await nonces.nonce(of: Origin(scheme: .http, host: "127.0.0.1", port: server.port))
    func proof(for path: String, token: String) async throws -> String {
        let url = try URI(server.url + path)
        return try await Proof.make(.get, url, token: token, nonce: nonce, by: mediator)
    }
    try await steal("other URL", proof(for: "/token", token: token))
    try await steal("other token", proof(for: "/account", token: "another"))
    let fresh = try await proof(for: "/account", token: token)
    let forged =
        fresh.split(separator: ".").dropLast()
        + (sent["DPoP"] ?? "").split(separator: ".").suffix(1)
    try await steal("other signature", forged.joined(separator: "."))
    try await steal("new proof", fresh)
} catch {
    print("failed: \(error)")
    exit(1)
}
