internal import SocketTransport
internal import Synchronization

/// The state of a call, for validators, interceptors and observers.
public struct HTTPContext: Sendable {
    /// The number of the call in the process, from 1; only calls with policies are counted.
    ///
    /// It is the same in all events of one call.
    public var callID: UInt64 { call.id }

    /// The request that the caller passed.
    public var originalRequest: HTTPRequest { call.request }

    /// The number of retries that a validator or an interceptor requested; initially 0.
    ///
    /// Redirects and the replacement of a lost connection do not count.
    public package(set) var retryCount: Int

    /// The redirects that led to this attempt, in order.
    public package(set) var redirects: [HTTPRedirect]

    /// Whether a redirect has led to another origin.
    ///
    /// The client does not send the request's credentials there. Interceptors should not add theirs
    /// either.
    public package(set) var hasCrossedOrigin: Bool

    /// The start of the first attempt, or of the latest retry, before any policy has seen its request.
    package var begin = Deadline.never

    /// The parts that are the same in all events of the call.
    package let call: Call

    /// The tags that the caller attached to the request.
    public var tags: HTTPTags { originalRequest.tags }

    private static let calls = Atomic<UInt64>(0)

    package init(_ request: HTTPRequest, _ sender: any PlainRequestSender) {
        self.init(
            Call(id: Self.calls.wrappingAdd(1, ordering: .relaxed).newValue, request, sender)
        )
    }

    package init(_ call: Call) {
        self.call = call
        retryCount = 0
        redirects = []
        hasCrossedOrigin = false
    }

    /// Sends another request on behalf of the call, such as one for a new token.
    ///
    /// The request uses the connections and cookies of the client. The client's credentials, validators,
    /// transformers, interceptors, observers, retries and queue do not apply to it. A request that they send
    /// can therefore not wait for itself.
    ///
    /// - Parameter request: the request, or the URL of a GET.
    /// - Returns: the response, whatever its status.
    /// - Throws: every error of ``HTTPClient/send(_:)-(HTTPRequest)``.
    public func send(_ request: some HTTPRequestConvertible) async throws(HTTPError) -> HTTPResponse
    {
        try await call.sender.sendPlain(request.httpRequest)
    }
}

extension HTTPContext {
    /// The parts of a context that are the same in all events of a call.
    ///
    /// It is on the heap, because each policy receives a copy of the context.
    package final class Call: Sendable {
        package let id: UInt64
        package let request: HTTPRequest
        package let sender: any PlainRequestSender

        package init(id: UInt64, _ request: HTTPRequest, _ sender: any PlainRequestSender) {
            self.id = id
            self.request = request
            self.sender = sender
        }
    }
}

/// The client of a call, as far as the context of the call needs it.
package protocol PlainRequestSender: AnyObject, Sendable {
    /// Sends a request over the connections of the client, with its cookies but without its policies.
    func sendPlain(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse

    /// Notifies the observers of the client.
    func notify(_ step: HTTPStep, _ context: HTTPContext)
}
