#if Logging || Metrics || Tracing
internal import Wire

/// A request and its outcome, with the names of OpenTelemetry's semantic conventions for HTTP
/// clients.
struct TelemetryInfo {
    /// The names of attributes and metrics.
    enum Name {
        static let method = "http.request.method"
        static let originalMethod = "http.request.method_original"
        static let resendCount = "http.request.resend_count"
        static let requestBodySize = "http.client.request.body.size"
        static let responseBodySize = "http.client.response.body.size"
        static let duration = "http.client.request.duration"
        static let status = "http.response.status_code"
        static let errorType = "error.type"
        static let fullURL = "url.full"
        static let scheme = "url.scheme"
        static let serverAddress = "server.address"
        static let serverPort = "server.port"
        static let peerAddress = "network.peer.address"
        static let peerPort = "network.peer.port"
        static let version = "network.protocol.version"
    }

    /// The replacement for every method that is not one of the nine standard methods.
    static let otherMethod = "_OTHER"

    private static let methods: Set<HTTPMethod> = [
        .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
    ]

    /// The method that was sent.
    let sentMethod: HTTPMethod
    let url: URI?

    init(_ request: HTTPRequest) {
        sentMethod = request.method
        url = request.uri
    }

    init(_ response: HTTPResponse) {
        sentMethod = response.method
        url = response.url
    }

    /// Creates the info of a failed request.
    ///
    /// The method and URL come from the error, because the request may have been redirected or
    /// changed.
    init(_ error: HTTPError, of request: HTTPRequest) {
        let words = error.request.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let url = try? URI(String(words[1])) else {
            sentMethod = request.method
            self.url = request.uri
            return
        }
        sentMethod = HTTPMethod(String(words[0]))
        self.url = url
    }

    /// The method, or ``otherMethod``; one of ten values, no matter how many methods a program uses.
    var method: String {
        Self.methods.contains(sentMethod) ? sentMethod.rawValue : Self.otherMethod
    }

    /// The origin server of the request, not a proxy.
    var server: Origin? { url?.origin }

    /// Returns the URL with the values of secret parameters redacted.
    ///
    /// These include the parameters in signed URLs of object stores.
    func fullURL(_ secrets: SecretNames) -> String? {
        url.map { secrets.redacted($0, or: $0.text) }
    }

    /// The outcome of a request.
    enum Outcome {
        case response(HTTPStatus)
        case failure(HTTPError.Kind)

        /// The error type; nil if the request succeeded.
        var errorType: String? {
            switch self {
            case .response(let status): status.code >= 400 ? "\(status.code)" : nil
            case .failure(let kind): kind.label
            }
        }
    }
}
#endif
