/// Answers certain requests in place of the network.
///
///     HTTPStub(.get("https://api.example.com/users/7"), answer: .json(["name": "Ada"]))
///     HTTPStub(.post, .template("https://api.example.com/users/{id}")) { request in
///         .json(["id": HTTPJSON(request.variable("id"))])
///     }
///     HTTPStub("https://api.example.com/jobs", answers: [.status(.accepted), .text("done")])
///
/// What it answers is written as bytes and read as those of a server are, under the same limits and
/// bounds of time.
///
/// ## Topics
/// ### Making one
/// - ``init(_:answer:)-(_,Response)``
/// - ``init(_:answers:atEnd:)``
/// - ``init(_:answer:)-(_,Answer)``
/// ### Parts
/// - ``Matcher``
/// - ``Response``
/// - ``Request``
/// - ``Speed``
public struct HTTPStub: Sendable, CustomStringConvertible {
    /// Makes the answer to a request.
    ///
    /// Runs on Swift's concurrent pool, once for each request, when all of it has arrived. Its task
    /// is cancelled when the caller gives up. An error it throws ends the call: an ``HTTPError`` as it
    /// is, any other as `.stubFailed(.answerFailed(…))` with ``HTTPError/underlying``.
    public typealias Answer = @concurrent @Sendable (Request) async throws -> Response

    /// Says what happens when all responses of a sequence were given.
    public enum SequenceEnd: Sendable, Hashable {
        /// Another request fails with `.stubFailed(.sequenceEnded(…))`.
        case fail
        /// The last response is given again, for ever.
        case repeatLast
        /// The first one follows the last.
        case startOver
    }

    enum Script: Sendable {
        case sequence([Response], atEnd: SequenceEnd)
        case closure(Answer)
    }

    let matcher: Matcher
    let script: Script

    /// What it matches, in words.
    public var description: String { matcher.description }

    /// Makes a stub with one response for all requests.
    ///
    /// - Parameters:
    ///   - matchers: must all match; without any, every request does.
    ///   - response: what is answered.
    public init(_ matchers: Matcher..., answer response: Response) {
        matcher = Matcher(all: matchers)
        script = .sequence([response], atEnd: .repeatLast)
    }

    /// Makes a stub that answers each request with the next response.
    ///
    /// - Parameters:
    ///   - matchers: must all match; without any, every request does.
    ///   - responses: in their order.
    ///   - end: what happens behind the last; default ``SequenceEnd/fail``, which finds a request
    ///     too many.
    public init(
        _ matchers: Matcher...,
        answers responses: [Response],
        atEnd end: SequenceEnd = .fail
    ) {
        matcher = Matcher(all: matchers)
        script = .sequence(responses, atEnd: end)
    }

    /// Makes a stub that asks a closure.
    ///
    /// - Parameters:
    ///   - matchers: must all match; without any, every request does.
    ///   - answer: called once for each request.
    public init(_ matchers: Matcher..., answer: @escaping Answer) {
        matcher = Matcher(all: matchers)
        script = .closure(answer)
    }
}
