import HTTPClient

/// The four ways to protect a request.
enum Protection: Sendable {
    case none
    /// A proof without a token, as to the endpoint that issues tokens.
    case proof
    /// A token that is valid in every request that has it.
    case accessToken
    /// A token that is valid only with a proof of the key that it was issued for.
    case boundToken
}

/// The nonces of the servers, which the requests of a program share.
actor Nonces {
    private var latest: [Origin: String] = [:]

    func nonce(of origin: Origin) -> String? { latest[origin] }
    func set(_ nonce: String, of origin: Origin) { latest[origin] = nonce }
}

/// An interceptor that sets Authorization and DPoP.
struct ProtectionInterceptor: HTTPInterceptor {
    let protection: Protection
    let mediator: any Mediator
    let nonces: Nonces

    // A proof is valid once and for one URL, so that each retry and each redirect needs a new one.
    let scope = HTTPInterceptorScope.attempt

    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
        // Another server, to which a redirect has led, must not get the token.
        guard !context.hasCrossedOrigin, let url = request.uri, let origin = url.origin else {
            return try await next(request)
        }
        let result = try await next(try await protect(request, url, origin))
        guard let response = result.response, let nonce = response.headers["DPoP-Nonce"] else {
            return result
        }
        await nonces.set(nonce, of: origin)
        let challenge = response.headers.combined(.wwwAuthenticate) ?? ""
        guard response.status == .unauthorized, challenge.contains("\"use_dpop_nonce\"") else {
            return result
        }
        // Once: a server that refuses its own nonce would refuse each of them.
        return try await next(try await protect(request, url, origin))
    }

    private func protect(
        _ request: HTTPRequest,
        _ url: URI,
        _ origin: Origin
    ) async throws -> HTTPRequest {
        var token: String?
        switch protection {
        case .none: return request
        case .proof: break
        case .accessToken: return request.authorization(.bearer(try await mediator.token()))
        case .boundToken: token = try await mediator.token()
        }
        var request = request
        if let token { request.headers[.authorization] = "DPoP \(token)" }
        request.headers["DPoP"] = try await Proof.make(
            request.method,
            url,
            token: token,
            nonce: await nonces.nonce(of: origin),
            by: mediator
        )
        return request
    }
}
