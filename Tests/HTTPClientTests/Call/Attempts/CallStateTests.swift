import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing
import Wire

/// Tests the actions that follow from each event of a call, without a socket.
@Suite struct CallStateTests {
    private func state(
        _ redirects: HTTPRedirectOptions = .follow,
        _ retries: HTTPRetryOptions = HTTPRetryOptions(),
        until deadline: Deadline = .never
    ) -> CallState {
        CallState(CallState.Options(redirects: redirects, retries: retries), until: deadline)
    }

    private func response(
        _ status: HTTPStatus,
        to request: HTTPRequest,
        location: String? = nil
    ) throws -> HTTPResponse {
        var response = try HTTPResponse(status: status, for: request)
        if let location { response.head.headers.append(.location, location) }
        return response
    }

    private func reason(_ state: inout CallState) -> HTTPMetrics.Attempt.Reason {
        state.takeReason()
    }

    private let error = HTTPError(CancellationError())
    private let request = HTTPRequest("https://a.test/start")

    /// Returns the name of an action within an attempt, with its URL or status.
    private func text(_ action: CallState.ExchangeAction) -> String {
        switch action {
        case .send(let exchange): "send \(exchange.request.url)"
        case .repeat(let request, let response):
            "repeat \(request.url) after \(response.status.code)"
        case .authenticate(let challenger, _, let response):
            "authenticate to \(challenger) after \(response.status.code)"
        case .end(let outcome): ending(outcome)
        }
    }

    private func ending(_ outcome: CallState.Outcome) -> String {
        switch outcome {
        case .success(let response): "end \(response.status.code)"
        case .failure(let error): "end \(error.kind)"
        }
    }

    /// Returns the name of an action, with its URL or status.
    private func text(_ action: CallState.Action) -> String {
        switch action {
        case .attempt: "attempt"
        case .chooseRedirect(_, let redirect, let next, _, _):
            "choose \(redirect.location.text) \(next.url)"
        case .follow(let redirect, let next, let response):
            "follow \(redirect.location.text) \(next.url) after \(response.status.code)"
        case .judge(.success(let response), let sent):
            "judge \(response.status.code) of \(sent.url)"
        case .judge(.failure(let error), let sent): "judge \(error.kind) of \(sent.url)"
        case .retry(let number, _, let grant, _): "retry \(number) after \(grant.delay)"
        case .end(let outcome): ending(outcome)
        }
    }

    @Test func `a call makes an attempt, judges its response and delivers it`() throws {
        var state = state()
        #expect(text(state.next(after: .began)) == "attempt")
        let answer = try response(200, to: request)
        #expect(
            text(state.next(after: .attempted(request, .success(answer))))
                == "judge 200 of https://a.test/start"
        )
        #expect(text(state.next(after: .accepted(.success(answer)))) == "end 200")
    }

    @Test func `a failure is judged, and a rejection ends the call`() {
        var state = state()
        _ = state.next(after: .began)
        #expect(
            text(state.next(after: .attempted(request, .failure(error))))
                == "judge cancelled of https://a.test/start"
        )
        #expect(text(state.next(after: .rejected(error))) == "end cancelled")
    }

    @Test func `a call can continue from an attempt that was made already`() throws {
        var state = state(HTTPRedirectOptions(.follow, maxRedirects: 0))
        let answer = try response(302, to: request, location: "/next")
        let action = state.next(after: .attempted(request, .success(answer)))
        guard case .judge(.failure, let sent) = action else {
            Issue.record("\(text(action))")
            return
        }
        #expect(sent.url == request.url)
    }

    // MARK: - Challenges

    private func exchange(_ request: HTTPRequest) throws -> CallState.Exchange {
        let url = try URI(request.url)
        let origin = try #require(url.origin)
        let target = try #require(
            AuthenticationTarget(
                url: url,
                initialOrigin: origin,
                method: request.method,
                target: url.requestTarget,
                body: []
            )
        )
        let credentials = HTTPCredentials(user: "ada", password: "secret")
        let proxy = HTTPProxy(scheme: .http, host: "p", credentials: credentials)
        return CallState.Exchange(
            request,
            origin: CallState.OriginCredentials(.any(user: "ada", password: "secret"), target),
            proxy: ForwardedRequest(
                RequestHead(method: request.method, target: .absolute(request.url)),
                body: [],
                through: ProxyRoute(proxy)
            )
        )
    }

    @Test(
        arguments: [
            (401, "authenticate to origin after 401", HTTPMetrics.Attempt.Reason.challenge),
            (407, "authenticate to proxy after 407", .proxyChallenge),
        ]
    )
    func `a challenge is answered, and the same request is sent again`(
        code: Int,
        action: String,
        expected: HTTPMetrics.Attempt.Reason
    ) throws {
        var state = state()
        let exchange = try exchange(request)
        let answer = try response(HTTPStatus(code), to: request)
        state.record(.success(answer))
        let challenger = try #require(exchange.challenger(in: .success(answer)))
        #expect(text(state.next(after: .exchanged(exchange, .success(answer)))) == action)
        var unanswered = state
        #expect(text(unanswered.next(after: .unanswered(answer))) == "end \(code)")
        #expect(
            text(state.next(after: .answered(exchange, challenger, after: answer)))
                == "send https://a.test/start"
        )
        #expect(reason(&state) == expected)
        #expect(!state.mayHaveSideEffects)
    }

    @Test(arguments: [401, 407])
    func `a challenge without credentials for it ends the exchange`(code: Int) throws {
        var state = state()
        let answer = try response(HTTPStatus(code), to: request)
        let plain = CallState.Exchange(request)
        #expect(plain.challenger(in: .success(answer)) == nil)
        #expect(text(state.next(after: .exchanged(plain, .success(answer)))) == "end \(code)")
    }

    @Test(arguments: [(401, CallState.Challenger.origin), (407, .proxy)])
    func `a body of which nothing was sent can follow a challenge`(
        code: Int,
        challenger: CallState.Challenger
    ) throws {
        var state = state()
        let pieces = AsyncStream<[UInt8]> { $0.finish() }
        let post = HTTPRequest("https://a.test/start", method: .post, body: .stream(pieces))
        let answer = try response(HTTPStatus(code), to: post)
        let exchange = CallState.Exchange(post)
        let event = CallState.ExchangeEvent.answered(exchange, challenger, after: answer)
        #expect(text(state.next(after: event)) == "send https://a.test/start")
    }

    @Test(arguments: [200, 302, 403, 503])
    func `other responses end the exchange`(code: Int) throws {
        var state = state()
        let exchange = try exchange(request)
        let answer = try response(HTTPStatus(code), to: request)
        #expect(text(state.next(after: .exchanged(exchange, .success(answer)))) == "end \(code)")
        #expect(
            text(state.next(after: .exchanged(exchange, .failure(error)))) == "end cancelled"
        )
    }

    // MARK: - Statuses that ask for the request again

    @Test(
        arguments: [
            (417, HTTPMetrics.Attempt.Reason.expectationFailed), (421, .misdirected),
            (425, .tooEarly),
        ]
    )
    func `a status that asks for the request again is answered once`(
        code: Int,
        expected: HTTPMetrics.Attempt.Reason
    ) throws {
        var state = state()
        var post = HTTPRequest("https://a.test/start", method: .post)
        post.headers[.expect] = "100-continue"
        var exchange = CallState.Exchange(post)
        exchange.expectsContinue = true
        let answer = try response(HTTPStatus(code), to: post)
        let action = state.next(after: .exchanged(exchange, .success(answer)))
        #expect(text(action) == "repeat https://a.test/start after \(code)")
        guard case .repeat(let again, _) = action else { throw NotFollowed() }
        #expect(again.headers.contains(.expect) == (code != 417))
        #expect(again.connection == (code == 421 ? .fresh : .shared))
        #expect(reason(&state) == expected)
        #expect(
            text(state.next(after: .exchanged(exchange, .success(answer)))) == "end \(code)"
        )
        // The other statuses still have their answer.
        let other = try response(code == 425 ? 421 : 425, to: post)
        #expect(
            text(state.next(after: .exchanged(exchange, .success(other))))
                == "repeat https://a.test/start after \(other.status.code)"
        )
    }

    @Test func `a repetition without a connection ends with the first response`() throws {
        var state = state()
        let answer = try response(421, to: request)
        let exchange = CallState.Exchange(request)
        let action = state.next(after: .exchanged(exchange, .success(answer)))
        guard case .repeat(let again, _) = action else { throw NotFollowed() }
        let next = CallState.Exchange(again)
        let refused = CallState.Outcome.failure(HTTPError(.connectFailed([]), phase: .connect))
        #expect(text(state.next(after: .repeated(next, refused, after: answer))) == "end 421")
        #expect(state.lastResponse?.status == .misdirectedRequest)
        // If its body was dropped, the response can be no result.
        #expect(text(state.next(after: .repeated(next, refused, after: nil))).hasPrefix("end "))
        #expect(text(state.next(after: .repeated(next, refused, after: nil))) != "end 421")
        for phase in [HTTPPhase.total, .responseHead] {
            let late = CallState.Outcome.failure(HTTPError(.timedOut(phase), phase: phase))
            #expect(text(state.next(after: .repeated(next, late, after: answer))) != "end 421")
        }
        let cancelled = CallState.Outcome.failure(HTTPError(.cancelled, phase: .connect))
        #expect(
            text(state.next(after: .repeated(next, cancelled, after: answer))) == "end cancelled"
        )
    }

    @Test func `a 417 to a request without an expectation ends the exchange`() throws {
        var state = state()
        let answer = try response(417, to: request)
        let exchange = CallState.Exchange(request)
        #expect(text(state.next(after: .exchanged(exchange, .success(answer)))) == "end 417")
    }

    @Test func `a request on a dedicated connection is not sent again on another`() throws {
        var state = state()
        let answer = try response(421, to: request)
        var exchange = CallState.Exchange(request)
        exchange.isDedicated = true
        #expect(text(state.next(after: .exchanged(exchange, .success(answer)))) == "end 421")
    }

    // MARK: - Redirects

    @Test func `a redirect is followed, and counted`() throws {
        var state = state()
        _ = state.next(after: .began)
        let answer = try response(302, to: request, location: "/next")
        #expect(
            text(state.next(after: .attempted(request, .success(answer))))
                == "follow https://a.test/next https://a.test/next after 302"
        )
        #expect(state.redirects.map(\.location.text) == ["https://a.test/next"])
        #expect(!state.hasCrossedOrigin)
        #expect(reason(&state) == .redirect)
        #expect(reason(&state) == .retry)
    }

    @Test func `a response after redirects names them`() throws {
        var state = state()
        _ = state.next(after: .began)
        let first = try response(302, to: request, location: "/next")
        guard case .follow(_, let next, _) = state.next(after: .attempted(request, .success(first)))
        else { throw NotFollowed() }
        let last = try response(200, to: next)
        guard
            case .judge(.success(let judged), _) = state.next(
                after: .attempted(next, .success(last))
            )
        else { throw NotFollowed() }
        #expect(judged.redirects.map(\.location.text) == ["https://a.test/next"])
    }

    private struct NotFollowed: Error {}

    @Test(arguments: [
        ("https://b.test/", true), ("http://a.test/", true), ("https://a.test/x", false),
    ])
    func `a redirect to another origin is recorded`(location: String, isCrossing: Bool) throws {
        var options = HTTPRedirectOptions.follow
        options.allowsDowngrade = true
        var state = state(options)
        _ = state.next(after: .began)
        let answer = try response(307, to: request, location: location)
        _ = state.next(after: .attempted(request, .success(answer)))
        #expect(state.redirects.count == 1)
        #expect(state.hasCrossedOrigin == isCrossing)
    }

    @Test func `a redirect that cannot be followed is judged as an error`() throws {
        var options = HTTPRedirectOptions.follow
        options.maxRedirects = 0
        var state = state(options)
        _ = state.next(after: .began)
        let answer = try response(302, to: request, location: "/next")
        let action = state.next(after: .attempted(request, .success(answer)))
        guard case .judge(.failure(let error), let sent) = action else {
            Issue.record("\(text(action))")
            return
        }
        #expect(error.kind == .redirectFailed(.tooMany(limit: 0)))
        #expect(sent.url == request.url && state.redirects.isEmpty)
    }

    @Test func `the mode of a request precedes that of the client`() throws {
        var refusing = request
        refusing.redirectMode = .refuse
        var state = state()
        _ = state.next(after: .began)
        let answer = try response(302, to: refusing, location: "/next")
        #expect(
            text(state.next(after: .attempted(refusing, .success(answer))))
                == "judge 302 of https://a.test/start"
        )
    }

    @Test func `the caller's closure decides on a redirect`() throws {
        var state = state(HTTPRedirectOptions(.custom { _, request in request }))
        _ = state.next(after: .began)
        let answer = try response(302, to: request, location: "/next")
        let action = state.next(after: .attempted(request, .success(answer)))
        #expect(text(action) == "choose https://a.test/next https://a.test/next")
        guard case .chooseRedirect(_, let redirect, _, let former, let after) = action else {
            return
        }
        #expect(state.redirects.isEmpty)
        var refused = state
        #expect(
            text(refused.next(after: .redirectChosen(nil, redirect, from: former, after: after)))
                == "judge 302 of https://a.test/start"
        )
        var failed = state
        #expect(
            text(failed.next(after: .redirectFailed(error, from: former)))
                == "judge cancelled of https://a.test/start"
        )
        let other = HTTPRequest("https://c.test/")
        #expect(
            text(state.next(after: .redirectChosen(other, redirect, from: former, after: after)))
                == "follow https://a.test/next https://c.test/ after 302"
        )
        #expect(state.redirects.count == 1)
    }

    @Test func `two loops of one call can ask about redirects at the same time`() throws {
        // An interceptor may pass the request on twice.
        var state = state(HTTPRedirectOptions(.custom { _, request in request }))
        _ = state.next(after: .began)
        let second = HTTPRequest("https://a.test/second")
        var events: [CallState.Event] = []
        for sent in [request, second] {
            let answer = try response(302, to: sent, location: "/next")
            let action = state.next(after: .attempted(sent, .success(answer)))
            guard case .chooseRedirect(_, let redirect, _, let former, let after) = action
            else { continue }
            events.append(.redirectChosen(nil, redirect, from: former, after: after))
        }
        #expect(
            events.map { text(state.next(after: $0)) } == [
                "judge 302 of https://a.test/start", "judge 302 of https://a.test/second",
            ]
        )
    }

    @Test func `a response has the redirects of its call, also one of another call`() throws {
        // An interceptor may send another request and return its response.
        let foreign = try redirected(try response(200, to: request))
        #expect(foreign.redirects.count == 1)
        var state = state()
        _ = state.next(after: .began)
        let action = state.next(after: .attempted(request, intercepted: foreign))
        guard case .judge(.success(let judged), _) = action else {
            Issue.record("got \(text(action))")
            return
        }
        #expect(judged.redirects.isEmpty)
    }

    /// Returns the response as it is judged after a redirect.
    private func redirected(_ response: HTTPResponse) throws -> HTTPResponse {
        var state = state()
        _ = state.next(after: .began)
        let moved = try self.response(302, to: request, location: "/next")
        _ = state.next(after: .attempted(request, .success(moved)))
        let action = state.next(after: .attempted(request, .success(response)))
        guard case .judge(.success(let judged), _) = action else { throw error }
        return judged
    }

    @Test func `a retry counts when it is sent, and forgets redirects`() throws {
        var state = state()
        _ = state.next(after: .began)
        let moved = try response(302, to: request, location: "https://b.test/")
        _ = state.next(after: .attempted(request, .success(moved)))
        let busy = CallState.Outcome.success(try response(503, to: request))
        var random = SeededGenerator(seed: 1)
        let found = state.grant(
            .delayed(.seconds(2)),
            after: busy,
            retryAfter: nil,
            for: request,
            now: .now(),
            random: &random
        )
        let grant = try #require(found)
        let event = CallState.Event.retryGranted(.delayed(.seconds(2)), grant, after: busy)
        #expect(text(state.next(after: event)) == "retry 1 after 2.0 seconds")
        #expect(state.retryCount == 0 && state.redirects.count == 1)
        #expect(text(state.next(after: .retryPrepared)) == "attempt")
        #expect(state.retryCount == 1 && state.redirects.isEmpty && !state.hasCrossedOrigin)
        #expect(reason(&state) == .retry)
    }

    @Test func `no retry is granted after the deadline or beyond the limit`() throws {
        let busy = CallState.Outcome.success(try response(503, to: request))
        let now = Deadline(nanoseconds: 1_000_000_000)
        func isGranted(_ state: CallState, _ request: HTTPRequest, after wait: Duration?) -> Bool {
            var random = SeededGenerator(seed: 1)
            return state.grant(
                .immediate,
                after: busy,
                retryAfter: wait,
                for: request,
                now: now,
                random: &random
            ) != nil
        }
        let limited = state(.follow, HTTPRetryOptions(), until: now.advanced(by: .seconds(1)))
        #expect(isGranted(limited, request, after: nil))
        #expect(!isGranted(limited, request, after: .seconds(1)))
        #expect(!isGranted(state(.follow, HTTPRetryOptions(maxRetries: 0)), request, after: nil))
        var own = request
        own.retries = HTTPRetryOptions(maxRetries: 1)
        #expect(isGranted(state(.follow, HTTPRetryOptions(maxRetries: 0)), own, after: nil))
    }

    @Test func `responses are numbered, and the last one is kept`() throws {
        var state = state()
        #expect(state.nextSerial() == 1 && state.nextSerial() == 2)
        #expect(state.metrics == nil && state.lastResponse == nil)
        state.record(.success(try response(401, to: request)))
        state.record(.success(try response(200, to: request)))
        #expect(state.lastResponse?.status == 200)
        #expect(state.metrics != nil)
        state.record(.failure(error))
        #expect(state.lastResponse == nil)
    }

    @Test func `a call sends a limited number of requests`() {
        var state = state()
        for _ in 0..<HTTPRetryOptions.maxRequests {
            let isAllowed = state.beginRequest()
            #expect(isAllowed)
        }
        let isAllowed = state.beginRequest()
        #expect(!isAllowed)
    }

    @Test func `each attempt has its reason`() {
        var state = state()
        #expect(reason(&state) == .first)
        // A further request without a redirect or a challenge is a retry by an interceptor.
        #expect(reason(&state) == .retry)
    }

    @Test func `a response to a POST may have had a side effect`() throws {
        var state = state()
        #expect(!state.mayHaveSideEffects)
        state.record(.success(try response(200, to: HTTPRequest("https://a.test/", method: .post))))
        #expect(state.mayHaveSideEffects)
    }
}
