internal import SocketTransport
internal import Wire

extension Pursuit {
    /// Sends a request, has its outcome judged, and sends it again as often as that is asked for and
    /// allowed.
    func rounds(_ first: HTTPRequest, _ start: HTTPContext) async throws -> HTTPResponse {
        var request = first
        var context = start
        while true {
            context.begin = .now()
            // As redirects made it.
            var sent = request
            var outcome: Result<HTTPResponse, HTTPError>
            do {
                outcome = .success(try await steps(&sent, &context))
            } catch let demand as RetryRequest {
                try await prepare(demand, &request, &context)
                continue
            } catch {
                outcome = .failure(HTTPError(interceptor: error, sent))
            }
            outcome = await transformed(outcome, sent)
            guard let demand = try await judge(&outcome, sent, request, context) else {
                return try outcome.get()
            }
            try await prepare(demand, &request, &context)
        }
    }

    private func transformed(
        _ outcome: Result<HTTPResponse, HTTPError>,
        _ request: HTTPRequest
    ) async -> Result<HTTPResponse, HTTPError> {
        guard case .success(var response) = outcome, !policies.transformers.isEmpty else {
            return outcome
        }
        let received = response
        do {
            for transformer in policies.transformers {
                try await transformer.transform(&response, request)
            }
            return .success(response)
        } catch {
            return .failure(HTTPError(interceptor: error, request).keeping(received))
        }
    }

    /// Asks the validators.
    ///
    /// - Parameters:
    ///   - outcome: is changed by those who accept another.
    ///   - sent: what it is the outcome of.
    ///   - request: what would be sent again.
    ///   - context: which call it is.
    /// - Returns: what is to be done before the request is sent again; nil when it is not to be.
    /// - Throws: what a validator holds against the outcome.
    private func judge(
        _ outcome: inout Result<HTTPResponse, HTTPError>,
        _ sent: HTTPRequest,
        _ request: HTTPRequest,
        _ context: HTTPContext
    ) async throws -> RetryRequest? {
        for validator in validators(for: request) {
            let verdict: HTTPValidationResult
            do {
                verdict = try await validator.validate(outcome, of: sent, context)
            } catch {
                verdict = .fail(error)
            }
            switch verdict {
            case .accept: break
            case .replace(let response): outcome = .success(response)
            case .fail(let error): throw HTTPError(validator: error, outcome, sent)
            case .retry(let strategy, let otherwise):
                if let permit = permit(strategy, after: outcome, request) {
                    return RetryRequest(strategy: strategy, permit: permit, outcome: outcome)
                }
                if let otherwise { throw HTTPError(validator: otherwise, outcome, sent) }
            }
        }
        return nil
    }

    /// Who judges; who wants retries and does not say of what, gets those of the default validator.
    private func validators(for request: HTTPRequest) -> [any HTTPResponseValidator] {
        var all = policies.validators + request.validators
        if let retries = request.retries { all = retries.completing(all) }
        guard all.isEmpty, let retries = request.maxRetries, retries > 0 else { return all }
        return [HTTPDefaultValidator()]
    }
}
