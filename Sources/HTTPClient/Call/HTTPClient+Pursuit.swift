internal import SocketTransport

extension HTTPClient {
    /// Prepares a call that collects its response.
    func collectingPursuit() -> Pursuit<HTTPResponse> {
        Pursuit(self) { [self] request throws(HTTPError) in
            try plan(request)
        } attempt: { [self] call in
            do throws(HTTPError) {
                try await collectQueued(call)
                return .success(call.response())
            } catch {
                return .failure(error)
            }
        }
    }

    /// Prepares a call whose body is streamed.
    func streamingPursuit() -> Pursuit<HTTPStreamedResponse> {
        Pursuit(self) { [self] request throws(HTTPError) in
            try plan(request)
        } attempt: { [self] call in
            do throws(HTTPError) {
                return .success(try await openQueued(call))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Carries out a call on the loop of a thread that waits for it.
    func pursueBlocking(
        _ request: HTTPRequest,
        by engine: Engine,
        from beginning: Pursuit<HTTPResponse>.Beginning? = nil
    ) throws(HTTPError) -> HTTPResponse {
        let pursuit = Pursuit<HTTPResponse>(self) { [self] request throws(HTTPError) in
            try plan(request)
        } attempt: { [self] call in
            let result = await runQueued(call, by: engine)
            // Nobody drives the loop of a blocking call behind its end.
            await call.plan.stub?.isOver()
            return result.map { call.response() }
        }
        let outcome = Locked<Result<HTTPResponse, HTTPError>?>(nil)
        do throws(TransportError) {
            try engine.loop.driveToCompletion {
                let result = await pursuit.result(request, from: beginning)
                outcome.withLock { $0 = result }
            }
        } catch {
            throw HTTPError(HTTPError.Kind(error, phase: .preparing), phase: .preparing)
                .naming(request.method, request.publicURL)
        }
        guard let result = outcome.withLock({ $0 }) else {
            preconditionFailure("the event loop ended before its task completed")
        }
        return try result.get()
    }
}

extension Pursuit {
    /// Carries the call out, and gives what it came to.
    func result(
        _ request: HTTPRequest,
        from beginning: Beginning? = nil
    ) async -> Result<Reply, HTTPError> {
        do throws(HTTPError) {
            return .success(try await run(request, from: beginning))
        } catch {
            return .failure(error)
        }
    }
}
