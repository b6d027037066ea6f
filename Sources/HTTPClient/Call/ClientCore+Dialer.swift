internal import Wire

extension ClientCore {
    /// Returns the plan of a request, on a stream of the client's dialer if the dialer supplies one.
    func plan(
        _ request: HTTPRequest,
        by planning: ((HTTPRequest) throws(HTTPError) -> Plan)?
    ) throws(HTTPError) -> Plan {
        let plan = try planned(request, by: planning)
        guard let dialer = policies.dialer else { return plan }
        var direct = plan
        if plan.key.proxy != nil {
            var request = request
            request.proxy = .direct
            direct = try planned(request, by: planning)
        }
        let result = try dial(request, direct, .exchange, dialer)
        guard let stream = result.stream else { return plan }
        direct.dialed = DialedStream(stream)
        if stream.hasOwnTimeouts {
            direct.timeouts.responseHead = .max
            direct.timeouts.throughput = nil
        }
        direct.keepsConnection = false
        return direct
    }

    /// Returns the plan of a request before the dialer changes it.
    func planned(
        _ request: HTTPRequest,
        by planning: ((HTTPRequest) throws(HTTPError) -> Plan)?
    ) throws(HTTPError) -> Plan {
        guard let planning else { return try plan(request) }
        return try planning(request)
    }

    /// Throws if the dialer supplies a stream for a purpose that needs the network.
    func checkUsesNetwork(
        _ request: HTTPRequest,
        _ plan: Plan,
        for purpose: HTTPDialRequest.Purpose
    ) throws(HTTPError) {
        guard let dialer = policies.dialer else { return }
        guard try dial(request, plan, purpose, dialer).stream != nil else { return }
        let reason = "upgrades, tunnels and pooled connections need the network, not a stream"
        throw HTTPError(.dialerFailed(reason: reason), phase: .preparing)
            .naming(plan.head.method, plan.publicURL)
    }

    private func dial(
        _ request: HTTPRequest,
        _ plan: Plan,
        _ purpose: HTTPDialRequest.Purpose,
        _ dialer: any HTTPDialer
    ) throws(HTTPError) -> HTTPDialRequest.Outcome {
        let dialRequest = HTTPDialRequest(
            purpose: purpose,
            method: plan.head.method,
            url: plan.url.withoutUserinfo,
            headers: plan.head.headers,
            body: plan.body,
            isBodyStreamed: plan.streamedBody != nil,
            isResponseDecoded: plan.decompression == .on
        ) { [weak self] body async throws(HTTPError) in
            // A dialer may keep the requests that it has seen, which must not keep the client.
            guard let self else { throw HTTPError(HTTPError.Kind.cancelled, phase: .preparing) }
            return try await self.sendOverNetwork(request, with: body)
        }
        do {
            return try dialer.dial(dialRequest)
        } catch {
            let failure = HTTPDialRequest.DialError(thrown: error)
            throw HTTPError(failure.kind, phase: .preparing, underlying: failure.underlying)
                .naming(plan.head.method, plan.publicURL)
        }
    }

    /// Sends one request of a call unchanged, without the dialer and the client's policies.
    private func sendOverNetwork(
        _ request: HTTPRequest,
        with body: [UInt8]
    ) async throws(HTTPError) -> HTTPResponse {
        var configuration = configuration.withoutPolicies
        configuration.settings.dialer = nil
        // The code that receives the response has its own limit.
        configuration.settings.collectLimit = max(configuration.settings.collectLimit, 64 << 20)
        var request = request.withoutPolicies
        if case .source(let source) = request.body.content {
            var content = HTTPBody.Content.bytes(body)
            if let trailers = source.trailers {
                content = HTTPBody.content(content, followedBy: trailers)
            }
            request.body = HTTPBody(content: content, contentType: request.body.contentType)
        }
        return try await ClientCore(configuration, sharing: self).send(request)
    }
}

extension HTTPClientConfiguration {
    /// The configuration without the policies of calls: each request is one attempt, apart from credentials
    /// for proxies.
    var withoutPolicies: HTTPClientConfiguration {
        var configuration = self
        configuration.settings.authentication = nil
        configuration.settings.validators = []
        configuration.settings.transformers = []
        configuration.settings.interceptors = []
        configuration.settings.observers = []
        configuration.settings.retries = HTTPRetryOptions(maxRetries: 0)
        configuration.settings.redirects = .refuse
        configuration.settings.cookies = .disabled
        configuration.settings.cache = .disabled
        configuration.settings.queue = nil
        return configuration
    }
}

extension HTTPRequest {
    /// The request without policies of its own.
    var withoutPolicies: HTTPRequest {
        var request = self
        request.authentication = nil
        request.redirectMode = nil
        request.maxRetries = nil
        request.retries = nil
        request.validators = []
        request.interceptors = []
        request.onProgress = nil
        return request
    }
}
