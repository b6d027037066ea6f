import Foundation
import HTTPClient

/// A DPoP proof: a JSON Web Token that the owner of a key signs for one request (RFC 9449 §4.2).
struct Proof {
    let header: HTTPJSON
    let claims: HTTPJSON
    /// The signed bytes: the header and the claims as they were sent.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Parses a proof, and checks nothing but its form.
    init?(parsing text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard
            parts.count == 3, let header = bytes(base64URL: parts[0]),
            let claims = bytes(base64URL: parts[1]), let signature = bytes(base64URL: parts[2]),
            let header = try? HTTPJSON(parsing: header), let claims = try? HTTPJSON(parsing: claims)
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Returns a new proof as text.
    static func make(
        _ method: HTTPMethod,
        _ url: URI,
        token: String?,
        nonce: String?,
        by mediator: any Mediator
    ) async throws -> String {
        let header = HTTPJSON([
            "typ": "dpop+jwt", "alg": "ES256", "jwk": mediator.publicKey,
        ])
        var claims: [HTTPJSON.Member] = [
            .init("jti", .string(UUID().uuidString)),
            .init("htm", .string(method.rawValue)),
            .init("htu", .string(target(of: url))),
            .init("iat", .integer(Int(Date().timeIntervalSince1970))),
        ]
        if let token { claims.append(.init("ath", .string(try hash(of: token)))) }
        if let nonce { claims.append(.init("nonce", .string(nonce))) }
        let parts = [header, .object(claims)].map { base64URL("\($0)".utf8) }
        let signed = parts.joined(separator: ".")
        let signature = try await mediator.sign(Array(signed.utf8))
        return "\(signed).\(base64URL(signature))"
    }

    /// Returns a URL without its query and fragment, which a proof does not cover.
    static func target(of url: URI) -> String {
        String(url.text.prefix { $0 != "?" && $0 != "#" })
    }

    /// Returns the claim that binds a proof to a token: the SHA-256 digest of the token.
    static func hash(of token: String) throws -> String {
        base64URL(try HTTPDigest.sha256(of: Array(token.utf8)).bytes)
    }
}
