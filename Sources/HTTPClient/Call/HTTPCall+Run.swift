internal import SocketTransport

extension HTTPClient {
    /// Starts a request, or a GET of a URL, and returns its running execution.
    public func run(_ request: some HTTPRequestConvertible) -> HTTPCall<HTTPResponse> {
        run(HTTPEndpoint(request.httpRequest, .passthrough))
    }

    /// Starts an endpoint's request and returns its running execution.
    public func run<Value>(_ endpoint: HTTPEndpoint<Value>) -> HTTPCall<Value> {
        HTTPCall(in: self, of: endpoint.request) { record in await self.execute(endpoint, record) }
    }

    /// Sends the request, tells the record how it goes, and makes the value.
    @concurrent private func execute<Value>(
        _ endpoint: HTTPEndpoint<Value>,
        _ record: CallRecord<Value>
    ) async -> Result<Value, HTTPError> {
        let pursuit = Pursuit<HTTPResponse>(self) { [self] request throws(HTTPError) in
            try plan(request)
        } attempt: { [self] call in
            do throws(HTTPError) {
                try await enterQueue(call, on: engine.loop)
                record.begin()
                call.onHead = { [policies] head in
                    if policies.settle(head) { record.notifyOffLoop(.head(head)) }
                }
                record.sample(ProgressSampler(call, on: engine))
                let result = await collect(call)
                call.queuePermit?.release()
                // The call is ours alone only when nobody looks into it on the loop any more.
                await record.pauseSampling()
                return result.map { call.response() }
            } catch {
                return .failure(error)
            }
        }
        do throws(HTTPError) {
            let response = try await pursuit.run(endpoint.sentRequest)
            await record.endSampling()
            record.notify(.response(response))
            return .success(try endpoint.parser.parse(response))
        } catch {
            return .failure(error)
        }
    }
}

extension HTTPEndpoint {
    /// Starts the request and returns its running execution.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the call, which is under way.
    public func run(in client: HTTPClient = .shared) -> HTTPCall<Value> {
        client.run(self)
    }
}

extension HTTPRequest {
    /// Starts the request and returns its running execution.
    ///
    /// - Parameter client: default ``HTTPClient/shared``.
    /// - Returns: the call, which is under way. Any status is a response.
    public func run(in client: HTTPClient = .shared) -> HTTPCall<HTTPResponse> {
        client.run(self)
    }

    /// Starts the request and returns its running execution, which makes a value of the response.
    ///
    /// - Parameters:
    ///   - parser: what the response becomes, such as `.text`.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the call, which is under way.
    public func run<Value: Sendable>(
        _ parser: HTTPResponseParser<Value>,
        in client: HTTPClient = .shared
    ) -> HTTPCall<Value> {
        client.run(HTTPEndpoint(self, parser))
    }

    /// Starts the request and returns its running execution, which requires a 2xx status and makes a
    /// value that knows how to read responses.
    ///
    /// - Parameters:
    ///   - type: what to make.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the call, which is under way.
    public func run<Value: HTTPDecodableResponse & Sendable>(
        _ type: Value.Type,
        in client: HTTPClient = .shared
    ) -> HTTPCall<Value> {
        run(.decodable(type), in: client)
    }
}
