public import HTTPClient
internal import SocketTransport
internal import Wire

/// A recorder that stores server responses in a file, and replays them in tests without a network.
///
///     let cassette = try HTTPCassette("Fixtures/users.json", mode: .recordMissing)
///     let client = HTTPClient().with { $0.stubs = HTTPStubs(cassette: cassette) }
///
/// The file is readable JSON: one entry per request and its response. Bodies are text if they are
/// UTF-8, otherwise base64. Each recorded response replaces the whole file, so that the file is
/// never incomplete. Only its owner may read it.
///
/// Secrets are replaced with `***` in the file. These are:
/// - The header fields, query parameters and form parameters that
///   `HTTPRequest.curlDescription(secrets:redacting:)` lists.
/// - Cookies.
/// - Parts of multipart forms and members of JSON with secret names. In JSON, `null`, `true` and
///   `false` are kept, a number becomes 0, and in an object all values are replaced. The response
///   can therefore still be decoded.
///
/// Content that cannot be parsed is replaced as a whole if it may contain a secret. Examples are
/// damaged JSON with `"password":` in it, and content with an unknown content coding. Other text is
/// unchanged. In the recording run, the caller gets the original response.
///
/// A request is identified by method, URL and content, each without its secrets. Header fields and
/// the boundary of a multipart form are ignored. If the same request is sent again, it gets the
/// next response that was recorded for it; each response is used once.
///
/// The file contains 16 bits of a salted digest of the hidden values of a request. With it,
/// requests that differ only in secrets, such as `?key=alice` and `?key=bob`, get their own
/// responses. If the recording has only one set of secrets for a request, other secrets, such as a
/// new token, get its responses too. An attacker with a short list of guesses, such as all codes of
/// four digits, can use the digest to find the right one. So record with made-up secrets.
///
/// A response is recorded as its caller sees it: decoded, without interim responses and trailers.
/// If the recorded body is not the received one, because it was decoded or has no secrets, the
/// fields with digests are left out (Content-Digest and Repr-Digest, RFC 9530).
/// Its body may have 64 MiB or the client's `collectLimit`, whichever is larger. The response is
/// complete before its first byte is delivered. Only the client's timeouts limit how long that
/// takes. Each redirect and each challenge is a separate entry.
///
/// Any number of cassettes in one process may record into the same file; each adds to it. Several
/// processes may do so too, but an entry can get lost if two of them record at the same moment.
public final class HTTPCassette: Sendable, StubRecording {
    /// A mode of replaying and recording.
    public enum Mode: Sendable, Hashable {
        /// Nothing is sent over the network; a request that is not in the file fails with an
        /// ``HTTPStubError`` for `.notRecorded`.
        case replay
        /// Requests without an unused response in the file are sent and recorded.
        case recordMissing
        /// All requests are sent and recorded; the first response replaces what the file contained
        /// when it was opened.
        case recordAll
    }

    struct State: Sendable {
        var recording: Recording
        /// Entries that were replayed or recorded in this run, which are not replayed again.
        var used: Set<Int> = []
        /// The salt of the old recording that is to be replaced; nil if there is none.
        var discardedSalt: String?
    }

    /// The path of the file.
    public let path: String

    /// The mode of replaying and recording.
    public let mode: Mode

    private let secrets: CassetteRedactor
    private let state: Locked<State>
    /// A lock for reading and replacing a file, because other cassettes may record into the same
    /// one.
    private static let writing = Locked(())
    /// The maximum size of a file in bytes.
    private static let maxFileBytes = 256 << 20

    /// Reads a cassette, or prepares to record one; blocks while it reads.
    ///
    /// - Parameters:
    ///   - path: a file of at most 256 MiB. For recording it need not exist; its directory must.
    ///   - mode: the mode. Default ``Mode/replay``.
    ///   - names: additional names of secret header fields, parameters and JSON members. Default
    ///     none.
    /// - Throws: `.fileFailed`, with a reason that describes the damage; `HTTPError.underlying`
    ///   is then an ``HTTPCassetteError``.
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

    /// The number of entries that were neither replayed nor recorded in this run.
    public var unusedCount: Int { state.withLock { $0.recording.entries.count - $0.used.count } }

    // MARK: - Responding

    /// Returns the closure that answers a request, from the cassette or the network.
    func answer(to request: HTTPDialRequest) -> HTTPStub.Answer {
        { [self] received in
            let recorded = CassetteEntry.RecordedRequest(received, secrets)
            if mode != .recordAll, let entry = take(recorded) { return entry.response }
            guard mode != .replay else {
                throw HTTPStubError(.notRecorded(cassette: path))
            }
            let response = try await request.sendOverNetwork(received.body)
            let entry = CassetteEntry(recorded, response, isDecoded: request.isResponseDecoded)
            try record(entry.redacted(by: secrets))
            return entry.response
        }
    }

    /// Returns an unused entry for a request, and marks it as used.
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
            // Other cassettes may have recorded into the file, or replaced its recording.
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
    /// Creates stubs for a cassette, which gives a response or an error to every request.
    ///
    /// - Parameters:
    ///   - cassette: the cassette, used if no stub matches.
    ///   - ignored: matchers of the requests that are sent over the network and not recorded.
    ///   - stubs: the stubs, tried in this order before the cassette. Default none.
    public convenience init(
        cassette: HTTPCassette,
        ignoring ignored: [HTTPStub.Matcher] = [],
        @HTTPStubsBuilder _ stubs: () -> [HTTPStub] = { [] }
    ) {
        self.init(.fail, ignored, cassette, stubs())
    }
}
