public import Wire

/// A transport that carries the requests of a client in place of the network, in tests.
///
/// The product `HTTPClientTesting` has a dialer that answers with prepared responses. Implement this
/// protocol to write another transport:
///
///     struct GreetingDialer: HTTPDialer {
///         func dial(_ request: HTTPDialRequest) -> HTTPDialRequest.Outcome {
///             guard request.url.host == "greeting.test" else { return .network }
///             return .stream { stream in
///                 _ = try await stream.read()
///                 try await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
///             }
///         }
///     }
///     let client = HTTPClient().with { $0.dialer = GreetingDialer() }
///
/// The client calls its dialer for each request that it is about to send. By then it has applied
/// interceptors, cookies and credentials, but the request has not waited in a queue. Redirects,
/// retries and answers to challenges are separate requests.
///
/// A stream carries one request and its response, and is not reused. The client does not resolve the
/// host and does not use a proxy. Limits, timeouts, progress, metrics and cancellation work as with a
/// connection of the network, but the pool does not count the stream.
///
/// ## Topics
/// ### Deciding
/// - ``dial(_:)``
/// - ``HTTPDialRequest``
/// - ``HTTPDialRequest/Outcome``
/// ### Serving
/// - ``HTTPDialRequest/PeerStream``
/// - ``HTTPDialRequest/DialError``
public protocol HTTPDialer: Sendable {
    /// Decides what carries a request.
    ///
    /// It must be fast, because it runs in the task or on the thread of the caller.
    ///
    /// - Parameter request: the request as it will be sent.
    /// - Returns: the network or a stream.
    /// - Throws: any error. The call then fails in the phase `.preparing`, and nothing was sent. An
    ///   ``HTTPDialRequest/DialError`` or ``HTTPError`` determines the kind of the failure. For any other error,
    ///   the kind is `.dialerFailed`, and the error is ``HTTPError/underlying``.
    func dial(_ request: HTTPDialRequest) throws -> HTTPDialRequest.Outcome
}

/// A request that a dialer decides about.
///
/// It has the header fields, cookies and credentials that the client adds, in the form for a direct
/// connection to the server.
public struct HTTPDialRequest: Sendable {
    /// The purpose of a connection.
    @nonexhaustive public enum Purpose: Sendable, Hashable {
        /// One request and its response.
        case exchange
        /// A request to switch protocols, by ``HTTPClient/upgrade(_:to:)``.
        case upgrade
        /// A tunnel through a proxy, by ``HTTPClient/tunnel(to:port:through:)``.
        case tunnel
        /// A connection of the pool for any number of requests, by ``HTTPConnectionPool``.
        case pooledConnection
    }

    /// The purpose of the connection.
    ///
    /// If it is not ``Purpose/exchange``, the connection needs the network: if the dialer returns a
    /// stream, the call fails with `.dialerFailed`.
    public let purpose: Purpose

    /// The method.
    public let method: HTTPMethod

    /// The URL, absolute and without user name and password.
    public let url: URI

    /// The complete header section.
    public let headers: HTTPHeaders

    /// The content without chunk framing.
    ///
    /// It is empty if there is none, and if ``isBodyStreamed`` is true.
    public let body: [UInt8]

    /// Whether the content is produced while it is sent.
    public let isBodyStreamed: Bool

    /// Whether the client decodes the content of responses.
    package let isResponseDecoded: Bool

    /// Sends the request over the network, without the policies of the client, and collects the
    /// response.
    ///
    /// Its argument is the content of the request, which replaces a streamed body.
    package let sendOverNetwork: @Sendable ([UInt8]) async throws(HTTPError) -> HTTPResponse

    package init(
        purpose: Purpose,
        method: HTTPMethod,
        url: URI,
        headers: HTTPHeaders,
        body: [UInt8],
        isBodyStreamed: Bool,
        isResponseDecoded: Bool,
        sendOverNetwork: @escaping @Sendable ([UInt8]) async throws(HTTPError) -> HTTPResponse
    ) {
        self.purpose = purpose
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isBodyStreamed = isBodyStreamed
        self.isResponseDecoded = isResponseDecoded
        self.sendOverNetwork = sendOverNetwork
    }
}

extension HTTPDialRequest {
    /// The decision of a dialer about a request.
    public struct Outcome: Sendable {
        /// A closure that serves one request on the peer's end of a stream.
        ///
        /// It runs on the event loop of the client, in a task that is canceled when the client closes
        /// its end. Code in it must not block. When the closure returns, the stream is closed.
        ///
        /// Until it reads or writes for the first time, the client is in the phase `.connect` and has
        /// sent nothing. If it throws, the call fails: an ``HTTPDialRequest/DialError`` or ``HTTPError`` determines
        /// the kind of the failure. For any other error, the kind is `.dialerFailed`, and the error is
        /// ``HTTPError/underlying``.
        public typealias Serve = @Sendable (PeerStream) async throws -> Void

        /// A stream in place of a connection.
        package struct Stream: Sendable {
            package let simulatesTLS: Bool
            package var hasOwnTimeouts = false
            package let serve: Serve
        }

        /// The stream; nil for the network.
        package private(set) var stream: Stream?

        /// The request is sent over the network, as without a dialer.
        public static let network = Outcome()

        /// Returns a decision to send the request over a stream.
        ///
        /// - Parameters:
        ///   - simulatesTLS: whether an https request is sent without TLS. Default false: the client
        ///     performs the TLS handshake over the stream, and verifies the certificate. If it is true,
        ///     ``TLSSessionInfo/isSimulated`` is true in the metrics of the response, because nothing was
        ///     authenticated. It has no effect on http.
        ///   - serve: the closure that serves the request.
        /// - Returns: the decision.
        public static func stream(
            simulatesTLS: Bool = false,
            _ serve: @escaping Serve
        ) -> Outcome {
            Outcome(stream: Stream(simulatesTLS: simulatesTLS, serve: serve))
        }

        /// Returns the decision without the client's timeouts for the head of the response and for the
        /// throughput.
        package func withOwnTimeouts() -> Outcome {
            var copy = self
            copy.stream?.hasOwnTimeouts = true
            return copy
        }

        package init(
            stream: Stream? = nil
        ) {
            self.stream = stream
        }
    }
}
