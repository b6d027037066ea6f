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
        let rules = RedirectRules(policies.redirects, keepsRequest: mode.keepsRequest)
        let step: RedirectRules.Redirection
        switch rules.decision(
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
        var next = rules.request(after: request, step, from: response.url)
        if case .custom(let choose) = mode {
            do {
                guard var chosen = try await choose(redirect, next) else { return nil }
                // The closure may return a new request, which has no record of the change of origin.
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
