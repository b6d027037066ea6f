#if Logging || Metrics || Tracing
internal import Wire

/// Tells of a request and what it came to, in the names of OpenTelemetry's semantic conventions for
/// HTTP clients.
struct TelemetryInfo {
    /// The names that are used here.
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

    /// What stands for every method that is not among the nine.
    static let otherMethod = "_OTHER"

    private static let methods: Set<HTTPMethod> = [
        .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
    ]

    /// As it was sent.
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

    /// Of a failed request, which the error names itself: it may have been redirected or changed.
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

    /// One of ten texts, however many methods a program makes up.
    var method: String {
        Self.methods.contains(sentMethod) ? sentMethod.rawValue : Self.otherMethod
    }

    /// Whom the request was for; a proxy in between does not count.
    var server: Origin? { url?.origin }

    /// The URL without what is secret by its name; those of signed URLs of object stores are too.
    func fullURL(_ secrets: SecretNames) -> String? {
        url.map { secrets.redacted($0, or: $0.text) }
    }

    /// Says what a request came to.
    enum Outcome {
        case response(HTTPStatus)
        case failure(HTTPError.Kind)

        /// What makes it a failure; nil when it is none.
        var errorType: String? {
            switch self {
            case .response(let status): status.code >= 400 ? "\(status.code)" : nil
            case .failure(let kind): kind.label
            }
        }
    }
}
#endif
