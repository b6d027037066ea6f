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
/// Secrets are left out of what is written, with `***` in their place: the fields and the parameters of
/// queries and forms that ``HTTPRequest/curlDescription(secrets:redacting:)`` lists, cookies, parts of
/// multipart forms, and members of JSON. Of the latter `null`, `true` and `false` stay, a number becomes 0,
/// and of an object all is hidden, so that what decodes the response still can. Content that cannot be read,
/// such as damaged JSON with `"password":` in it, or one under an unknown content coding, is left out as a
/// whole. Other text is as it was. The caller of the recording run gets the response as it came.
///
/// A request is found by method, URL and content, each without its secrets; fields play no part, and the
/// boundary of a multipart form does not either. The same request asked again gets the next response that
/// was recorded for it, each of them once.
///
/// What was hidden of a request leaves 16 bits of a salted digest in the file. Requests that differ in
/// nothing but secrets, such as `?key=alice` and `?key=bob`, get their own answers by it. When the recording
/// has one set of secrets for a request, other secrets, such as a new token, get its answers too. Who has a
/// short list of guesses, such as all codes of four digits, can tell by the digest which it was: record with
/// secrets that are made up.
///
/// A response is recorded as its caller sees it: decoded, without interim responses and trailers, at most
/// 64 MiB or the client's `collectLimit`, whichever is more, and complete before the first byte is handed
/// over. Its time is that of the client's time-outs; nothing waits for it besides. Each step of redirects
/// and challenges is an entry of its own.
///
/// Any number of cassettes in a process may record into one file: each adds to it. Those of several
/// processes may, too, but of two that record at the same moment one entry can get lost.
public final class HTTPCassette: Sendable {
    /// Says what is played and what is recorded.
    public enum Mode: Sendable, Hashable {
        /// Nothing goes to the network: what is not in the file fails with
        /// `.stubFailed(.notRecorded(…))`.
        case replay
        /// What is not in the file, or not once more, is asked and recorded.
        case recordMissing
        /// Everything is asked, and what was in the file when it was opened is forgotten with the first
        /// response.
        case recordAll
    }

    struct State: Sendable {
        var recording: Recording
        /// Entries that were played or recorded in this run, which are not played again.
        var used: Set<Int> = []
        /// The salt of a recording that is to be forgotten; nil when none is.
        var discardedSalt: String?
    }

    /// Where the file is.
    public let path: String

    /// What is played and what is recorded.
    public let mode: Mode

    private let secrets: CassetteRedactor
    private let state: Locked<State>
    /// Held while a file is read and replaced: other cassettes may record into the same.
    private static let writing = Locked(())
    /// Bytes that a file may have.
    private static let maxFileBytes = 256 << 20

    /// Reads a cassette, or prepares to record one; blocks while it reads.
    ///
    /// - Parameters:
    ///   - path: a file of at most 256 MiB. It need not exist for recording; its directory must.
    ///   - mode: default ``Mode/replay``.
    ///   - names: fields, parameters and JSON members that hold secrets too; default none.
    /// - Throws: `.fileFailed`, whose reason says what is damaged; then ``HTTPError/underlying`` is an
    ///   ``HTTPCassetteError``.
    public init(
        _ path: String,
        mode: Mode = .replay,
        redacting names: [String] = []
    ) throws(HTTPError) {
        self.path = path
        self.mode = mode
        secrets = CassetteRedactor(names)
        var state = State(recording: Recording())
        if mode == .recordAll {
            state.discardedSalt = (try? Self.read(path))?.salt
        } else if mode == .replay || !FileContents.isMissing(path) {
            let recording = try Self.read(path)
            state.recording.entries = recording.entries
            if !recording.salt.isEmpty { state.recording.salt = recording.salt }
        }
        self.state = Locked(state)
    }

    private static func read(_ path: String) throws(HTTPError) -> Recording {
        let bytes = try FileContents.read(path, limit: maxFileBytes)
        do {
            return try CassetteFile.decode(bytes)
        } catch {
            throw FileContents.error(path, .read, error.description, underlying: error)
        }
    }

    /// Entries in the cassette that were neither played nor recorded in this run.
    public var unusedCount: Int { state.withLock { $0.recording.entries.count - $0.used.count } }

    // MARK: - Answering

    /// Makes what answers a request: the cassette, or the network.
    func answer(to request: HTTPRequest, of client: HTTPClient) -> HTTPStub.Answer {
        { [self] received in
            let recorded = CassetteEntry.RecordedRequest(received, secrets)
            if mode != .recordAll, let entry = take(recorded) { return entry.response }
            guard mode != .replay else {
                throw HTTPError(.stubFailed(.notRecorded(cassette: path)), phase: .preparing)
            }
            let response = try await client.sendForRecording(request, with: received.body)
            let isDecoded = client.configuration.settings.decompression == .on
            let entry = CassetteEntry(recorded, response, isDecoded: isDecoded)
            try record(entry.redacted(by: secrets))
            return entry.response
        }
    }

    /// Takes the entry of a request, which is not played again.
    private func take(_ recorded: CassetteEntry.RecordedRequest) -> CassetteEntry? {
        state.withLock { state in
            guard let index = state.recording.index(for: recorded, excluding: state.used) else {
                return nil
            }
            state.used.insert(index)
            return state.recording.entries[index]
        }
    }

    private func record(_ entry: CassetteEntry) throws(HTTPError) {
        try Self.writing.withLock { _ throws(HTTPError) in
            let (own, discardedSalt) = state.withLock { state in
                state.used.insert(state.recording.entries.count)
                state.recording.append(entry)
                return (state.recording, state.discardedSalt)
            }
            var recording = own
            // Others may have recorded into the file, or begun it anew.
            if var written = try? Self.read(path), written.salt != discardedSalt {
                if written.salt.isEmpty { written.salt = own.salt }
                written.append(entry)
                recording = written
            }
            try FileContents.replace(path, with: CassetteFile.encode(recording))
            state.withLock { $0.discardedSalt = nil }
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
        self.init(.fail, ignored, cassette, stubs())
    }
}

extension HTTPClient {
    /// Sends one request of a call as it is, for the cassette: nobody else has a say any more.
    fileprivate func sendForRecording(
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
            settings.retries = HTTPRetryOptions(maxRetries: 0)
            settings.redirects = .refuse
            settings.cookies = .disabled
            settings.queue = nil
            // What asks for it has a limit of its own.
            settings.collectLimit = max(settings.collectLimit, 64 << 20)
        }
        var request = request
        request.authentication = nil
        request.redirectMode = nil
        request.maxRetries = nil
        request.retries = nil
        request.validators = []
        request.interceptors = []
        if case .source = request.body.content {
            request.body = HTTPBody(content: .bytes(body), contentType: request.body.contentType)
        }
        return try await plain.send(request)
    }
}
