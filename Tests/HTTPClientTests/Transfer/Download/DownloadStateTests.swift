import ClientSupport
import HTTPClient
import Testing

@Suite struct DownloadStateTests {
    private static let origin = "http://a"
    private static let whole: HTTPHeaders = ["Content-Length": "10", "ETag": "\"v1\""]
    private static let rest: HTTPHeaders = ["Content-Range": "bytes 4-9/10", "ETag": "\"v1\""]

    /// Returns the state of a download that has received four of ten bytes.
    private func begun(_ kind: DownloadState.RequestKind = .resumable) -> DownloadState {
        var state = DownloadState(kind)
        let decision = state.receive(.ok, Self.whole, from: Self.origin, isVerbatim: true)
        #expect(decision == .fullBody(total: 10))
        state.write(4)
        return state
    }

    @Test func `an interrupted body is continued after its last byte`() {
        var state = begun()
        state.fail(.interruption)
        #expect(
            state.rangeRequest
                == .init(offset: 4, validator: "\"v1\"", total: 10, isContinuation: true)
        )
        let decision = state.receive(206, Self.rest, from: Self.origin, isVerbatim: true)
        #expect(decision == .partialBody(total: 10))
        #expect(state.written == 4 && state.resumedOffset == 0)
    }

    @Test func `a corrupt body is requested again from where it began`() {
        var state = begun()
        _ = state.receive(206, Self.rest, from: Self.origin, isVerbatim: true)
        state.write(3)
        state.fail(.corruption)
        #expect(state.written == 4)
        state.write(6)
        var first = begun()
        first.fail(.corruption)
        #expect(first.written == 0)
        #expect(first.rangeRequest.offset == 0)
    }

    @Test func `a whole body starts over and forgets the bytes of an earlier call`() {
        var state = DownloadState(resumingAt: 4, of: 10, "\"v1\"", from: Self.origin)
        #expect(state.resumedOffset == 4)
        let changed: HTTPHeaders = ["Content-Length": "7", "ETag": "\"v2\""]
        let decision = state.receive(.ok, changed, from: Self.origin, isVerbatim: true)
        #expect(decision == .fullBody(total: 7))
        #expect(state.written == 0 && state.resumedOffset == 0 && state.total == 7)
        state.write(2)
        #expect(
            state.rangeRequest
                == .init(offset: 2, validator: "\"v2\"", total: 7, isContinuation: true)
        )
    }

    @Test func `a range of another origin is refused, and its whole body is taken`() {
        var state = begun()
        let refused = state.receive(206, Self.rest, from: "http://b", isVerbatim: true)
        #expect(refused == .mismatch(.unexpectedPartialContent))
        #expect(state.written == 4)
        _ = state.receive(.ok, Self.whole, from: "http://b", isVerbatim: true)
        #expect(state.written == 0 && state.origin == "http://b")
    }

    @Test(arguments: [
        (DownloadState.RequestKind.other, HTTPStatus.ok, whole, true),
        (.resumable, 203, whole, true),
        (.resumable, .ok, whole, false),
        (.resumable, .ok, ["ETag": "W/\"v1\""] as HTTPHeaders, true),
        (.resumable, .ok, ["ETag": "\"v1\"", "Content-Encoding": "gzip"] as HTTPHeaders, true),
    ])
    func `other bodies are requested as a whole`(
        kind: DownloadState.RequestKind,
        status: HTTPStatus,
        headers: HTTPHeaders,
        isVerbatim: Bool
    ) {
        var state = DownloadState(kind)
        _ = state.receive(status, headers, from: Self.origin, isVerbatim: isVerbatim)
        state.write(4)
        #expect(state.validator == nil)
        #expect(state.rangeRequest == .init(isContinuation: kind == .resumable))
    }

    @Test func `the caller's own range is repeated`() {
        var state = DownloadState(.ownRange)
        #expect(state.rangeRequest == .init(hasOwnRange: true))
        let decision = state.receive(206, Self.rest, from: Self.origin, isVerbatim: true)
        #expect(decision == .fullBody(total: nil))
        state.write(2)
        #expect(state.rangeRequest == .init(hasOwnRange: true, isContinuation: true))
    }

    @Test(arguments: [202, 204, 205] as [HTTPStatus])
    func `a success without the resource does not replace a download that is under way`(
        status: HTTPStatus
    ) {
        func decide(_ state: inout DownloadState, _ origin: String = "http://a") -> DownloadDecision
        {
            state.receive(status, [:], from: origin, isVerbatim: true)
        }
        var new = DownloadState(.resumable)
        #expect(decide(&new) == .fullBody(total: nil))
        // Without a validator, the whole resource is requested again.
        var lost = DownloadState(.resumable)
        _ = lost.receive(.ok, ["Content-Length": "10"], from: Self.origin, isVerbatim: true)
        lost.write(4)
        lost.fail(.interruption)
        #expect(lost.rangeRequest.offset == 0)
        #expect(decide(&lost) == .unsuccessful)
        // A redirect of the retry led to another origin.
        var moved = begun()
        #expect(decide(&moved, "http://b") == .unsuccessful)
        // The parts do not fit together.
        var parts = DownloadState(.resumable)
        parts.requestParts(of: 4)
        _ = parts.receive(206, Self.firstPart, from: Self.origin, isVerbatim: true)
        parts.startOver()
        #expect(decide(&parts) == .unsuccessful)
        // The repetition of another method has an independent result.
        var other = DownloadState(.other)
        _ = other.receive(.ok, Self.whole, from: Self.origin, isVerbatim: true)
        #expect(decide(&other) == .fullBody(total: nil))
    }

    @Test(arguments: [
        (HTTPError.Kind.connectionLost(reason: ""), DownloadState.BodyFailure.interruption),
        (.timedOut(.body), .interruption), (.cancelled, .interruption),
        (.rangeMismatch(.missingContentRange), .corruption),
        (.digestMissing(unsupported: []), .corruption),
    ])
    func `only bodies that contradict themselves are corrupt`(
        kind: HTTPError.Kind,
        failure: DownloadState.BodyFailure
    ) {
        #expect(DownloadState.BodyFailure(kind) == failure)
    }

    // MARK: - Parts

    private static let firstPart: HTTPHeaders = ["Content-Range": "bytes 0-3/10", "ETag": "\"v1\""]

    @Test func `the first part gives the validator and the size for all others`() {
        var state = DownloadState(.resumable)
        state.requestParts(of: 4)
        #expect(state.rangeRequest == .init(offset: 0, end: 4))
        let decision = state.receive(206, Self.firstPart, from: Self.origin, isVerbatim: true)
        #expect(decision == .partialBody(total: 10))
        #expect(state.origin == Self.origin && state.validator == "\"v1\"" && state.isResumable)
        #expect(
            state.rangeRequest
                == .init(offset: 0, end: 4, validator: "\"v1\"", total: 10, isContinuation: true)
        )
        state.write(6..<8)
        #expect(state.written == 0 && state.completed == 2 && state.end == 8)
        state.write(0..<4)
        #expect(state.written == 4 && state.parts.ranges == [6..<8])
        #expect(state.nextPart == 4..<6)
        state.write(4..<7)
        #expect(state.written == 8 && state.completed == 8 && state.parts.isEmpty)
        state.write(8..<10)
        #expect(!state.requestsPart)
    }

    @Test func `a whole body replaces all parts, and its rest is requested in one piece`() {
        var state = DownloadState(
            resumingAt: 0,
            of: 10,
            "\"v1\"",
            from: Self.origin,
            parts: ByteRangeSet([5..<7])
        )
        #expect(state.resumedOffset == 2)
        state.requestParts(of: 4)
        #expect(
            state.rangeRequest
                == .init(offset: 0, end: 4, validator: "\"v1\"", total: 10, isContinuation: true)
        )
        let decision = state.receive(.ok, Self.whole, from: Self.origin, isVerbatim: true)
        #expect(decision == .fullBody(total: 10))
        #expect(state.completed == 0 && state.resumedOffset == 0)
        state.write(3)
        #expect(
            state.rangeRequest
                == .init(offset: 3, validator: "\"v1\"", total: 10, isContinuation: true)
        )
    }

    @Test func `parts that cannot be combined lead to a request for the whole`() {
        for (headers, isVerbatim) in [
            (["Content-Range": "bytes 0-3/10"] as HTTPHeaders, true), (Self.firstPart, false),
        ] {
            var state = DownloadState(.resumable)
            state.requestParts(of: 4)
            let decision = state.receive(206, headers, from: Self.origin, isVerbatim: isVerbatim)
            #expect(decision == .wholeRequired)
            #expect(state.rangeRequest == .init(isContinuation: true))
        }
    }

    @Test(arguments: [DownloadState.RequestKind.ownRange, .other])
    func `other requests than a GET of the whole have no parts`(kind: DownloadState.RequestKind) {
        var state = DownloadState(kind)
        state.requestParts(of: 4)
        #expect(!state.requestsPart)
    }

    @Test func `bytes without a validator are not continued in parts`() {
        var state = DownloadState(resumingAt: 4, of: 10, nil, from: Self.origin, isVerified: true)
        state.requestParts(of: 4)
        #expect(state.rangeRequest == .init(offset: 4, total: 10, isContinuation: true))
    }
}
