import Foundation
import HTTPClient
import HTTPTestServer

/// The part of a server that verifies proofs (RFC 9449 §4.3).
actor ProofVerifier {
    private let serverURL: String
    private let token: String
    /// The key that the token was issued for.
    private let key: HTTPJSON
    /// The nonce that each proof must have.
    private let nonce = UUID().uuidString
    /// The identifiers of all proofs that were accepted.
    ///
    /// A service would remove those that are older than the permitted age of a proof.
    private var used: Set<String> = []

    init(serverURL: String, token: String, key: HTTPJSON) {
        self.serverURL = serverURL
        self.token = token
        self.key = key
    }

    /// Returns the response to a request with a proof.
    func respond(
        to request: HTTPTestServer.Request,
        hasToken: Bool
    ) async -> HTTPTestServer.Response {
        if hasToken, request.headers[.authorization] != "DPoP \(token)" {
            return refuse("invalid_token", "the token is missing or wrong")
        }
        let proofs = request.headers.values("DPoP")
        guard proofs.count == 1, let proof = Proof(parsing: proofs[0]) else {
            return refuse("invalid_dpop_proof", "there is not one proof")
        }
        let claims = proof.claims
        let age = Date().timeIntervalSince1970 - (claims["iat"].double ?? 0)
        let conditions: [(isTrue: Bool, reason: String)] = [
            (proof.header["typ"] == "dpop+jwt" && proof.header["alg"] == "ES256", "typ or alg"),
            (proof.header["jwk"] == key, "the key"),
            (claims["htm"].string == request.method.rawValue, "the method"),
            (claims["htu"].string == serverURL + request.path, "the URL"),
            (claims["ath"].string == (hasToken ? try? Proof.hash(of: token) : nil), "the token"),
            (abs(age) < 60, "the time"),
        ]
        if let failed = conditions.first(where: { !$0.isTrue }) {
            return refuse("invalid_dpop_proof", "the proof does not match: \(failed.reason)")
        }
        let coordinates = ["x", "y"].map { bytes(base64URL: key[$0].string ?? "") ?? [] }
        guard
            await OpenSSL.isValid(
                proof.signature,
                of: proof.signed,
                x: coordinates[0],
                y: coordinates[1]
            )
        else { return refuse("invalid_dpop_proof", "the signature is wrong") }
        guard claims["nonce"].string == nonce else {
            return refuse("use_dpop_nonce", "the proof needs the nonce").header("DPoP-Nonce", nonce)
        }
        // One step after the last wait, so that of two equal proofs at the same time one is refused.
        guard let id = claims["jti"].string, used.insert(id).inserted else {
            return refuse("invalid_dpop_proof", "the proof was used before")
        }
        return .text("accepted")
    }

    private func refuse(_ error: String, _ reason: String) -> HTTPTestServer.Response {
        .text(reason, status: .unauthorized)
            .header(.wwwAuthenticate, "DPoP error=\"\(error)\", algs=\"ES256\"")
    }
}
