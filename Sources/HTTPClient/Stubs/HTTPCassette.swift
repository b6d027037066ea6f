internal import SocketTransport
internal import Wire

/// Records what servers answered into a file, and plays it to tests that have no network.
///
///     let cassette = try HTTPCassette("Fixtures/users.json", mode: .recordMissing)
///     let client = HTTPClient().with { $0.stubs = HTTPStubs(cassette: cassette) }
///
/// The file is JSON for people: an entry for each request and its response, bodies as text where they
/// are text (UTF-8), else as base64. It is replaced as a whole, with each response that is recorded, so
/// that it is never half written, and only its owner may read it.
///
/// Secrets are left out of what is written: the values of Authorization, Proxy-Authorization, Cookie,
/// Set-Cookie and of fields that end in `-token` or `-secret`, passwords, tokens and keys in queries and
/// forms (parts of a multipart form, too), and members such as `password` and `access_token` of JSON; `***`
/// stands in their place. The caller of the recording run gets the response as it came.
///
/// A request is found by method, URL and content, each without its secrets; fields play no part, and the
/// boundary of a multipart form does not either. The same request asked again gets the next response that was recorded for it, each of them once.
///
/// A response is recorded as its caller sees it: decoded, without interim responses and trailers, and
/// complete before the first octet is handed over. Each step of redirects and challenges is an entry of
/// its own.
public final class HTTPCassette: Sendable {
    /// Says what is played and what is recorded.
    public enum Mode: Sendable, Hashable {
        /// Nothing goes to the network: what is not in the file fails with
        /// `.stubFailed(.unrecorded(…))`.
        case replay
        /// What is not in the file, or not once more, is asked and recorded.
        case recordMissing
        /// Everything is asked, and what was in the file is forgotten with the first response.
        case recordAll
    }

    struct State: Sendable {
        var entries: [CassetteEntry] = []
        /// Entries that were played or recorded in this run, which are not played again.
        var used: Set<Int> = []
    }

    /// Where the file is.
    public let path: String

    /// What is played and what is recorded.
    public let mode: Mode

    private let secrets: CassetteSecrets
    private let state: Locked<State>
    /// Held while the file is written, so that an older state never takes the place of a newer one.
    private let writing = Locked(())

    /// Reads a cassette, or prepares to record one; blocks while it reads.
    ///
    /// - Parameters:
    ///   - path: a file of at most 256 MiB. It need not exist for recording; its folder must.
    ///   - mode: default ``Mode/replay``.
    ///   - names: fields, parameters and JSON members that hold secrets too; default none.
    /// - Throws: `.fileFailed`, whose reason says what is damaged; then ``HTTPError/underlying`` is an
    ///   ``HTTPCassetteFault``.
    public init(
        _ path: String,
        mode: Mode = .replay,
        redacting names: [String] = []
    ) throws(HTTPError) {
        self.path = path
        self.mode = mode
        secrets = CassetteSecrets(names)
        var entries: [CassetteEntry] = []
        if mode == .replay || mode == .recordMissing && !WholeFile.isMissing(path) {
            let octets = try WholeFile.read(path, limit: 256 << 20)
            do {
                entries = try CassetteFile.decode(octets)
            } catch {
                throw WholeFile.fault(path, .read, error.description, underlying: error)
            }
        }
        state = Locked(State(entries: entries))
    }

    /// Entries in the cassette that were neither played nor recorded in this run.
    public var unusedCount: Int { state.withLock { $0.entries.count - $0.used.count } }

    // MARK: - Answering

    /// Makes what answers a request: the cassette, or the network.
    func answer(to request: HTTPRequest, of client: HTTPClient) -> HTTPStub.Answer {
        { [self] received in
            let asked = CassetteEntry.Asked(received, secrets)
            if mode != .recordAll, let entry = take(asked) { return entry.response }
            guard mode != .replay else {
                throw HTTPError(.stubFailed(.unrecorded(cassette: path)), phase: .preparing)
            }
            let response = try await client.asking(request, with: received.body)
            let isDecoded = client.configuration.settings.decompression == .on
            let entry = CassetteEntry(asked, response, isDecoded: isDecoded)
            try record(entry.redacted(by: secrets))
            return entry.response
        }
    }

    /// Takes the first entry of a request that was not used.
    private func take(_ asked: CassetteEntry.Asked) -> CassetteEntry? {
        state.withLock { state in
            let index = state.entries.indices.first { index in
                !state.used.contains(index) && state.entries[index].asked.isSame(as: asked)
            }
            guard let index else { return nil }
            state.used.insert(index)
            return state.entries[index]
        }
    }

    private func record(_ entry: CassetteEntry) throws(HTTPError) {
        state.withLock { state in
            state.used.insert(state.entries.count)
            state.entries.append(entry)
        }
        try writing.withLock { _ throws(HTTPError) in
            let entries = state.withLock { $0.entries }
            try WholeFile.replace(path, with: CassetteFile.encode(entries))
        }
    }
}

extension HTTPStubs {
    /// Makes stubs of a cassette, which has an answer, or an error, for every request.
    ///
    /// - Parameters:
    ///   - cassette: asked when no stub matches.
    ///   - ignored: requests that go to the network and are not recorded.
    ///   - stubs: in the order in which they are asked, before the cassette; default none.
    public convenience init(
        cassette: HTTPCassette,
        ignoring ignored: [HTTPStub.Matcher] = [],
        @HTTPStubsBuilder _ stubs: () -> [HTTPStub] = { [] }
    ) {
        self.init(.fails, ignored, cassette, stubs())
    }
}

extension HTTPClient {
    /// Sends one request of a call as it is, for the cassette: nobody else has a say any more.
    fileprivate func asking(
        _ request: HTTPRequest,
        with body: [UInt8]
    ) async throws(HTTPError) -> HTTPResponse {
        let plain = with { settings in
            settings.stubs = nil
            settings.authentication = nil
            settings.validators = []
            settings.transformers = []
            settings.interceptors = []
            settings.observers = []
            settings.retries = HTTPRetries(limit: 0)
            settings.redirects = .refuse
            settings.cookies = .none
            settings.queue = nil
            // What asks for it has a limit of its own.
            settings.collectLimit = max(settings.collectLimit, 64 << 20)
        }
        var request = request
        request.authentication = nil
        request.redirectMode = nil
        request.maxRetries = nil
        request.validators = []
        request.interceptors = []
        if case .source = request.body.content {
            request.body = HTTPBody(content: .bytes(body), contentType: request.body.contentType)
        }
        return try await plain.send(request)
    }
}
