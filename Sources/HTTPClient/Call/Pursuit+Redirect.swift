internal import Wire

extension Pursuit {
    /// Finds the request that a response leads to.
    ///
    /// - Parameters:
    ///   - request: what was sent, before interceptors.
    ///   - response: what came.
    ///   - context: is told of the step.
    /// - Returns: nil when the response is the answer.
    /// - Throws: `.redirectFailed`; `.bodyFailed(.notReplayable(.redirect))`.
    func redirected(
        _ request: HTTPRequest,
        by response: HTTPResponse,
        _ context: inout HTTPContext
    ) async throws(HTTPError) -> HTTPRequest? {
        let mode = request.redirectMode ?? policies.redirects.mode
        guard policies.redirects.mayFollow(response.status), !mode.isRefusal else {
            return nil
        }
        let policy = RedirectPolicy(settings: policies.redirects, keepsRequest: mode.keepsRequest)
        let step: RedirectPolicy.Redirection
        switch policy.decision(
            on: response.head,
            from: response.url,
            response.method,
            afterRedirects: context.redirects.count
        ) {
        case .notARedirect: return nil
        case .failure(let problem): throw response.error(.redirectFailed(problem), in: .validating)
        case .redirect(let found): step = found
        }
        let redirect = HTTPRedirect(
            url: response.url.withoutUserinfo,
            method: response.method,
            head: response.head,
            location: step.location
        )
        var next = request.taking(
            step,
            from: response.url,
            trustsAll: policies.redirects.sendsCredentialsCrossOrigin
        )
        if case .custom(let choose) = mode {
            do {
                guard var chosen = try await choose(redirect, next) else { return nil }
                // A request that was made anew does not know what must stay behind.
                if next.optionsBox?.settings.hasCrossedOrigin == true {
                    chosen.options.hasCrossedOrigin = true
                }
                next = chosen
            } catch let error as HTTPError {
                throw error
            } catch {
                let problem = HTTPRedirectFailureReason.thrown(description: "\(error)")
                throw response.error(.redirectFailed(problem), in: .validating)
                    .changed { $0.underlying = error }
            }
        }
        guard next.body.isReplayable else {
            throw response.error(.bodyFailed(.notReplayable(.redirect)), in: .validating)
        }
        await bufferRemainder(response)
        context.redirects.append(redirect)
        context.hasCrossedOrigin = next.optionsBox?.settings.hasCrossedOrigin ?? false
        notify(.redirected(redirect), context)
        return next
    }
}

extension HTTPRedirectMode {
    fileprivate var keepsRequest: Bool {
        if case .followKeepingRequest = self { true } else { false }
    }
}

extension HTTPRequest {
    /// Fields that prove who asks, or say to whom the request goes.
    private static let ownFields: [FieldName] = [
        .authorization, .cookie, .proxyAuthorization, .host,
    ]

    /// Fields about content that is left out.
    private static let contentFields: [FieldName] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation, .expect,
    ]

    /// Makes the next request of a redirect.
    ///
    /// - Parameters:
    ///   - step: where it goes, and what becomes of it.
    ///   - url: that was asked.
    ///   - trustsAll: credentials go along to another origin.
    /// - Returns: what is sent next.
    fileprivate func taking(
        _ step: RedirectPolicy.Redirection,
        from url: URI,
        trustsAll: Bool
    ) -> HTTPRequest {
        var next = self
        next.target = .uri(step.location)
        next.method = step.method
        if optionsBox?.settings.rawTarget != nil { next.options.rawTarget = nil }
        if step.dropsBody {
            next.body = .empty
            for name in Self.contentFields { next.headers.remove(name) }
        }
        if step.isDowngrade { next.headers.remove(.referer) }
        if step.isCrossOrigin {
            next.headers.remove(.host)
            // A validator means nothing to another origin: the end of what one sent must not come from
            // another that happens to use the same validator (RFC 9110 §13.1.5).
            if next.headers.contains(.ifRange) {
                next.headers.remove(.ifRange)
                next.headers.remove(.range)
            }
        }
        if step.isCrossOrigin, !trustsAll {
            for name in Self.ownFields { next.headers.remove(name) }
            next.options.hasCrossedOrigin = true
        } else if let userinfo = url.userinfo, !next.headers.contains(.authorization) {
            // The location has none, and the origin is the same or trusted.
            next.headers.append(
                .authorization,
                BasicAuthentication.credentials(userinfo: userinfo)
            )
        }
        return next
    }
}
