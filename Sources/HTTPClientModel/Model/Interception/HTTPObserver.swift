public import SocketTransport
public import Wire

/// A type that is notified of each step of every call.
///
/// An observer cannot change the call.
///
/// Each exchange on an ``HTTPDedicatedConnection``, each upgrade and each tunnel is a call too, although no other
/// policy applies to it.
///
/// The client calls an observer synchronously, in order for each call, so it must be fast and must
/// not block. Several calls may notify an observer concurrently.
///
/// An attempt does not wait for the steps that happen while it runs: the client calls the observer on another thread
/// than that of the call, and waits when the attempt has ended. These steps are ``HTTPStep/informational(_:)``,
/// ``HTTPStep/queued``, ``HTTPStep/dequeued(after:)``, ``HTTPStep/entered(_:_:)``, and for a CONNECT or a certificate
/// ``HTTPStep/challenged(_:)``.
public protocol HTTPObserver: Sendable {
    /// The steps that the observer is notified of.
    ///
    /// The client reads them once, when it is created. Default ``HTTPStep/Interests/calls``: all steps but phases,
    /// which cost a task and a copy of the metrics each.
    var interests: HTTPStep.Interests { get }

    /// Records a step of a call.
    func observe(_ step: HTTPStep, _ context: HTTPContext)
}

extension HTTPObserver {
    /// All steps but phases.
    public var interests: HTTPStep.Interests { .calls }
}

/// A step of a call.
@nonexhaustive public enum HTTPStep: Sendable {
    /// The call has started.
    case began
    /// An attempt of the call waits for its turn in the client's ``HTTPClientQueue``.
    ///
    /// There is no such step if its turn comes at once.
    case queued
    /// The turn of the attempt in the queue has come, after this time.
    case dequeued(after: Duration)
    /// An attempt has entered this phase, with these metrics so far.
    ///
    /// Only observers with ``Interests/phases`` are notified. The phases of an attempt are those that it needs of
    /// `.queue`, `.resolve`, `.connect`, `.proxyHandshake`, `.tlsHandshake`, `.sending`, `.sendingBody`,
    /// `.responseHead` and `.body`. In `.connect` the name is resolved. In `.sending` the connection is acquired: the
    /// metrics have its number, addresses and TLS values. In `.responseHead` the request is sent, and in `.body` the
    /// head of the response has arrived.
    case entered(HTTPPhase, HTTPMetrics.Attempt)
    /// A server or a proxy asks for credentials, or a certificate must be evaluated.
    case challenged(Challenge)
    /// This request is about to be sent, after the interceptors, with its cookies and credentials.
    case prepared(HTTPRequest)
    /// This request head is sent, with the client's fields and the fields that describe the body.
    ///
    /// A proxy may receive additional fields.
    case sending(RequestHead)
    /// A 1xx response has arrived, such as 103 (Early Hints); the final response follows.
    ///
    /// 100 (Continue) is reported too, and 101 (Switching Protocols) never. An attempt reports at most
    /// ``WireLimits/informationalCount`` of them, also before a redirect or a challenge.
    case informational(ResponseHead)
    /// An attempt received this response; interceptors have not seen it yet.
    case received(HTTPResponse)
    /// An attempt failed; interceptors have not seen the error yet.
    case failed(HTTPError)
    /// The client follows a redirect.
    case redirected(HTTPRedirect)
    /// The request will be retried after this delay; `number` counts retries from 1.
    case retrying(number: Int, after: Duration)
    /// The call has ended.
    ///
    /// Only ``streamed(_:_:)`` can follow, if the response ``HTTPResponse/isStreamed``.
    case ended(Result<HTTPResponse, HTTPError>)
    /// The call has ended with an ``HTTPDuplexStream``: after an upgrade with this 101, or with a tunnel and no head.
    case upgraded(ResponseHead?, HTTPMetrics)
    /// The body of a streamed response has ended.
    ///
    /// It was read to its end, failed with this error, or was dropped. If it was dropped, there is
    /// no error, and the outcome of the last attempt is `.inProgress`.
    case streamed(HTTPMetrics, HTTPError?)
}

extension HTTPStep {
    /// The groups of steps that an observer is notified of.
    public struct Interests: OptionSet, Sendable {
        /// All steps but phases.
        public static let calls = Interests(rawValue: 1)
        /// The phases of attempts: ``HTTPStep/entered(_:_:)``.
        public static let phases = Interests(rawValue: 2)
        /// All steps.
        public static let all: Interests = [.calls, .phases]

        /// The bits of the groups.
        public let rawValue: UInt8

        /// Creates a set of groups from their bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }
    }

    /// What a peer asks the client.
    @nonexhaustive public enum Challenge: Sendable {
        /// The server has answered 401 (Unauthorized) with this head.
        ///
        /// If the client has an ``HTTPAuthentication``, it may answer with another attempt.
        case origin(ResponseHead)
        /// The proxy has answered 407 (Proxy Authentication Required) with this head.
        ///
        /// If the client has credentials for the proxy, it may answer with another request. Otherwise the call fails
        /// or ends with this response.
        case proxy(ResponseHead)
        /// The ``HTTPTrustEvaluator`` is about to be asked about this peer.
        case trust(HTTPTrustEvaluator.Peer)

        /// Returns the challenge of a response; nil if it is none.
        package init?(_ head: ResponseHead) {
            guard head.status.asksForCredentials else { return nil }
            self = head.status == .unauthorized ? .origin(head) : .proxy(head)
        }
    }

    /// The step with requests, responses and errors that have no body.
    package var withoutBodies: HTTPStep {
        switch self {
        case .prepared(var request):
            request.body = .empty
            return .prepared(request)
        case .received(let response): return .received(response.withoutBody)
        case .failed(let error): return .failed(error.withoutBody)
        case .ended(let result):
            return .ended(result.map(\.withoutBody).mapError(\.withoutBody))
        case .streamed(let metrics, let error): return .streamed(metrics, error?.withoutBody)
        case .began, .queued, .dequeued, .entered, .challenged, .sending, .informational,
            .redirected, .retrying,
            .upgraded:
            return self
        }
    }
}

extension HTTPStatus {
    /// Whether a response with the status asks for credentials.
    package var asksForCredentials: Bool {
        self == .unauthorized || self == .proxyAuthenticationRequired
    }
}

extension HTTPResponse {
    fileprivate var withoutBody: HTTPResponse {
        var copy = self
        copy.body = []
        copy.isStreamed = isStreamed
        return copy
    }
}

extension HTTPError {
    fileprivate var withoutBody: HTTPError {
        partialBody.isEmpty ? self : changed { $0.partialBody = [] }
    }
}
