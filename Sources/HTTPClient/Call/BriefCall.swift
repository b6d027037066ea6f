internal import SocketTransport
internal import Wire

/// Holds a call around which nobody waits: observers are told, cookies added, and default validators
/// asked, without a ``Pursuit``.
///
/// What most services have besides a client alone, at a fraction of the price. Where its response leads
/// on, to a redirect, a retry or an error, a pursuit goes on with it.
struct BriefCall {
    let context: HTTPContext
    let call: Attempt
}

extension HTTPClient {
    /// Sends a request around which nobody waits, and collects the response.
    func sendBriefly(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let brief = try beginBriefly(request)
        let result: Result<Void, HTTPError>
        if queue == nil {
            result = await collect(brief.call)
        } else {
            do throws(HTTPError) {
                try await collectQueued(brief.call)
                result = .success(())
            } catch {
                result = .failure(error)
            }
        }
        let beginning: Pursuit<HTTPResponse>.Beginning
        switch result {
        case .success:
            let response = brief.call.response()
            if endBriefly(brief, response) { return response }
            beginning = brief.beginning(.success(response))
        case .failure(let error): beginning = brief.beginning(.failure(error))
        }
        return try await collectingPursuit().run(brief.request, from: beginning)
    }

    /// Does what policies do before a request is sent.
    func beginBriefly(_ request: HTTPRequest) throws(HTTPError) -> BriefCall {
        var request = request
        request.target = .uri(try request.absoluteURL(below: configuration.settings.baseURL))
        request.encodeBody(with: configuration.settings.coders)
        policies.depositRetries()
        let context = HTTPContext(request, self)
        policies.notify(.began, context)
        let sent = policies.withCookies(request, configuration.settings.headers)
        policies.notify(.prepared(sent), context)
        do throws(HTTPError) {
            let plan = try plan(sent)
            policies.notify(.sending(plan.head), context)
            return BriefCall(context: context, call: Attempt(plan))
        } catch {
            policies.notify(.failed(error), context)
            policies.notify(.ended(.failure(error)), context)
            throw error
        }
    }

    /// Does what policies do with a response that is the answer.
    ///
    /// - Returns: whether it is; if not, nothing was done.
    func endBriefly(_ brief: BriefCall, _ response: HTTPResponse) -> Bool {
        guard !policies.redirects.mayFollow(response.status) || policies.redirects.mode.isRefusal,
            response.isSuccess && policies.acceptsAllSuccesses
                || policies.briefValidators.allSatisfy({ $0.accepts(response) })
        else { return false }
        if let jar = policies.cookies { jar.store(response.headers, from: response.url) }
        policies.notify(.received(response), brief.context)
        policies.notify(.ended(.success(response)), brief.context)
        return true
    }
}

extension BriefCall {
    /// With the URL that it goes to, and without the jar's cookies.
    var request: HTTPRequest { context.originalRequest }

    /// What a pursuit goes on with.
    func beginning(
        _ result: Result<HTTPResponse, HTTPError>
    ) -> Pursuit<HTTPResponse>.Beginning {
        .init(call: call, result: result, context: context)
    }
}

extension HTTPDefaultValidator {
    /// Whether its verdict is to accept.
    fileprivate func accepts(_ response: HTTPResponse) -> Bool {
        !retriedStatuses.contains(response.status) && rejection(of: response) == nil
    }
}
