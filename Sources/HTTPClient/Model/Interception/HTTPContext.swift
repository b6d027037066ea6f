internal import SocketTransport
internal import Synchronization

/// Tells validators, interceptors and observers which call they see, and how far it is.
public struct HTTPContext: Sendable {
    /// Counts the calls of the process that policies see, from 1 on: the same in all that is told of
    /// one call.
    public let callID: UInt64

    /// The request as the call was made with it.
    public let originalRequest: HTTPRequest

    /// How often the request was sent again because somebody asked for it; 0 at first.
    ///
    /// Redirects and the replacement of a lost connection do not count.
    public internal(set) var retryCount: Int

    /// The redirects that led to this attempt, in order.
    public internal(set) var redirects: [HTTPRedirect]

    /// Whether a redirect has led to another origin: the request's credentials stay away from it, and
    /// so should those that an interceptor adds.
    public internal(set) var hasCrossedOrigin: Bool

    /// The same connections and cookies without credentials, validators, transformers, interceptors,
    /// observers and retries: for a request on behalf of this one, such as for a new token.
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

    /// When the present round began, as rounds say: nobody has looked at its request before.
    var begin = Deadline.never

    private let client: HTTPClient

    /// What the program noted about the request.
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
