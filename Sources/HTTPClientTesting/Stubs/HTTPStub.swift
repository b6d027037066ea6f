/// A stub that answers certain requests in place of the network.
///
///     HTTPStub(.get("https://api.example.com/users/7"), answer: .json(["name": "Ada"]))
///     HTTPStub(.post, .template("https://api.example.com/users/{id}")) { request in
///         .json(["id": HTTPJSON(request.variable("id"))])
///     }
///     HTTPStub("https://api.example.com/jobs", answers: [.status(.accepted), .text("done")])
///
/// Its responses are written as bytes and parsed like those of a server, with the same limits and
/// timeouts.
///
/// ## Topics
/// ### Creating stubs
/// - ``init(_:answer:)-(_,Response)``
/// - ``init(_:answers:atEnd:)``
/// - ``init(_:answer:)-(_,Answer)``
/// ### Parts
/// - ``Matcher``
/// - ``Response``
/// - ``Request``
/// - ``Speed``
public struct HTTPStub: Sendable, CustomStringConvertible {
    /// A closure that creates the response to a request.
    ///
    /// It runs on Swift's concurrent pool, once for each request, after the whole request has
    /// arrived. Its task is canceled when the call ends early. If it throws, the call fails. The kind of
    /// an `HTTPError` or `HTTPDialRequest.DialError` is kept. Any other error is the
    /// ``HTTPStubError/underlying`` of an ``HTTPStubError`` for `.answerFailed`.
    public typealias Answer = @concurrent @Sendable (Request) async throws -> Response

    /// The behavior after the last response of a sequence.
    public enum SequenceEnd: Sendable, Hashable {
        /// Another request fails with an ``HTTPStubError`` for `.sequenceEnded`.
        case fail
        /// The last response is repeated without end.
        case repeatLast
        /// The sequence starts again with its first response.
        case startOver
    }

    enum Script: Sendable {
        case sequence([Response], atEnd: SequenceEnd)
        case closure(Answer)
    }

    /// What distinguishes a stub from one that was created with the same arguments.
    final class Identity: Sendable {}

    let matcher: Matcher
    let script: Script
    let identity = Identity()

    /// A description of the requests that the stub matches.
    public var description: String { matcher.description }

    /// Creates a stub with one response for all requests.
    ///
    /// - Parameters:
    ///   - matchers: the matchers, which must all match; without any, every request matches.
    ///   - response: the response.
    public init(_ matchers: Matcher..., answer response: Response) {
        matcher = Matcher(all: matchers)
        script = .sequence([response], atEnd: .repeatLast)
    }

    /// Creates a stub that answers each request with the next response.
    ///
    /// - Parameters:
    ///   - matchers: the matchers, which must all match; without any, every request matches.
    ///   - responses: the responses, in order.
    ///   - end: the behavior after the last response. Default ``SequenceEnd/fail``, which detects
    ///     unexpected requests.
    public init(
        _ matchers: Matcher...,
        answers responses: [Response],
        atEnd end: SequenceEnd = .fail
    ) {
        matcher = Matcher(all: matchers)
        script = .sequence(responses, atEnd: end)
    }

    /// Creates a stub with a closure.
    ///
    /// - Parameters:
    ///   - matchers: the matchers, which must all match; without any, every request matches.
    ///   - answer: the closure, called once for each request.
    public init(_ matchers: Matcher..., answer: @escaping Answer) {
        matcher = Matcher(all: matchers)
        script = .closure(answer)
    }
}
