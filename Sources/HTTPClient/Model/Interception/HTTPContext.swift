internal import SocketTransport
internal import Synchronization

/// The state of a call, for validators, interceptors and observers.
public struct HTTPContext: Sendable {
    /// The number of the call in the process, from 1, counting calls with policies.
    ///
    /// It is the same in all events of one call.
    public let callID: UInt64

    /// The request that the caller passed.
    public let originalRequest: HTTPRequest

    /// The number of retries that a validator or an interceptor requested; initially 0.
    ///
    /// Redirects and the replacement of a lost connection do not count.
    public internal(set) var retryCount: Int

    /// The redirects that led to this attempt, in order.
    public internal(set) var redirects: [HTTPRedirect]

    /// Whether a redirect has led to another origin.
    ///
    /// The client does not send the request's credentials there. Interceptors should not add theirs
    /// either.
    public internal(set) var hasCrossedOrigin: Bool

    /// A client for auxiliary requests of this call, such as for a new token.
    ///
    /// It has the same connections and cookies, but no credentials, validators, transformers,
    /// interceptors, observers and retries.
    public var plainClient: HTTPClient {
        client.with { settings in
            settings.authentication = nil
            for name in [FieldName.authorization, .proxyAuthorization, .cookie] {
                settings.headers.remove(name)
            }
            settings.validators = []
            settings.transformers = []
            settings.interceptors = []
            settings.observers = []
            settings.retries = HTTPRetryOptions(maxRetries: 0)
            settings.queue = nil
        }
    }

    /// The start of the current turn of the retry loop, before any policy has seen its request.
    var begin = Deadline.never

    private let client: HTTPClient

    /// The tags that the caller attached to the request.
    public var tags: HTTPTags { originalRequest.tags }

    private static let calls = Atomic<UInt64>(0)

    init(_ request: HTTPRequest, _ client: HTTPClient) {
        callID = Self.calls.wrappingAdd(1, ordering: .relaxed).newValue
        originalRequest = request
        self.client = client
        retryCount = 0
        redirects = []
        hasCrossedOrigin = false
    }
}
