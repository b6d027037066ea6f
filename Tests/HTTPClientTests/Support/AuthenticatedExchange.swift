package import HTTPClient
import Testing

/// An exchange that authenticates as a call does.
package struct AuthenticatedExchange {
    package var client: HTTPClient
    package let memory: AuthenticationCache
    package let authentication: HTTPAuthentication

    package init(
        client: HTTPClient = HTTPClient(),
        memory: AuthenticationCache,
        authentication: HTTPAuthentication
    ) {
        self.client = client
        self.memory = memory
        self.authentication = authentication
    }

    /// The response, and the credentials sent.
    package struct Outcome {
        package let response: HTTPResponse
        /// The value of Authorization in each attempt; nil if there was none.
        package let values: [String?]
    }

    package func send(_ request: HTTPRequest) async throws -> Outcome {
        let url = try URI(request.url)
        let origin = try #require(url.origin)
        let subject = try AuthenticationTarget(
            to: request.url,
            initialOrigin: origin,
            request.method
        )
        var proof = try await memory.preempt(authentication, subject)
        var values: [String?] = []
        while true {
            var attempt = request
            if let proof { attempt.headers.append(.authorization, proof.value) }
            values.append(proof?.value)
            let response = try await client.send(attempt)
            let sent = proof?.sent ?? .nothing
            memory.record(authentication, response.head, subject, sentWith: sent)
            let next = try await memory.answer(
                authentication,
                to: response.head,
                subject,
                sentWith: sent
            )
            guard let next else { return Outcome(response: response, values: values) }
            proof = next
        }
    }
}

extension AuthenticationTarget {
    /// Creates a target for a request without content.
    package init(to text: String, initialOrigin: Origin? = nil, _ method: HTTPMethod = .get) throws
    {
        let url = try URI(text)
        let origin = try #require(url.origin)
        let subject = AuthenticationTarget(
            url: url,
            initialOrigin: initialOrigin ?? origin,
            method: method,
            target: url.requestTarget,
            body: []
        )
        self = try #require(subject)
    }
}

extension ResponseHead {
    /// Returns a 401 with these values of WWW-Authenticate.
    package static func unauthorized(_ challenges: String...) -> ResponseHead {
        var head = ResponseHead(status: .unauthorized)
        for challenge in challenges { head.headers.append(.wwwAuthenticate, challenge) }
        return head
    }
}
