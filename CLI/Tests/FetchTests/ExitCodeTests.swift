import HTTPClient
import Testing
import fetch

@Suite struct ExitCodeTests {
    @Test(
        arguments: [
            (.invalidRequest(.url("x", .invalidURI(.missingHost, offset: 0))), .preparing, 3),
            (.invalidRequest(.relativeURL("x")), .preparing, 3),
            (.invalidRequest(.unsupportedScheme("ftp")), .preparing, 1),
            (.invalidRequest(.refused(.invalidFieldValue(index: 0))), .sending, 43),
            (.invalidRequest(.framingField("Content-Length")), .preparing, 43),
            (.resolveFailed(host: "h", reason: ""), .resolve, 6),
            (.connectFailed([]), .connect, 7),
            (.addressesRefused(host: "h", []), .connect, 7),
            (.bindFailed(local: "eth9", reason: ""), .connect, 45),
            (.invalidRequest(.unixSocket(.empty)), .preparing, 6),
            (.invalidRequest(.bodyFile("x", .notRegular)), .preparing, 26),
            (.invalidRequest(.bodyAlreadyConsumed), .preparing, 65),
            (.bodyFailed(.thrown(description: "x")), .sendingBody, 26),
            (.bodyFailed(.tooShort(expected: 2, sent: 1)), .sendingBody, 26),
            (.bodyFailed(.notReplayable(.lostConnection)), .sendingBody, 65),
            (.authenticationFailed(.refresh(description: "")), .preparing, 94),
            (.connectionLost(reason: ""), .sendingBody, 55),
            (.resumeFailed(.representationChanged), .body, 33),
            (.rangeMismatch(.notRequested), .responseHead, 33),
            (.fileFailed(path: "/", .write, reason: ""), .body, 23),
            (.descriptorFailed(errno: 28, written: 1), .body, 23),
            (.undecodableText(.unknownCharset("x")), .decoding, 8),
            (.invalidRequest(.resumeData(.urlMismatch)), .preparing, 36),
            (.timedOut(.throughput), .body, 28),
            (.invalidRequest(.proxy(.unsupportedScheme("x"))), .preparing, 7),
            (.invalidRequest(.proxy(.malformed(nil))), .preparing, 5),
            (.proxyFailed(.unresolved(host: "p", reason: "")), .resolve, 5),
            (.proxyFailed(.unreachable([])), .connect, 7),
            (.proxyFailed(.socks(.noAcceptableMethod)), .proxyHandshake, 97),
            (.proxyFailed(.socks(.refused(.hostUnreachable))), .proxyHandshake, 97),
            (.proxyFailed(.malformedResponse(.malformedStatus(offset: 0))), .proxyHandshake, 56),
            (.proxyFailed(.connectionLost(reason: "")), .proxyHandshake, 56),
            (.timedOut(.proxyHandshake), .proxyHandshake, 28),
            (.tlsFailed(.certificate(expired)), .tlsHandshake, 60),
            (.tlsFailed(.vetoed(reason: "")), .tlsHandshake, 60),
            (.tlsFailed(.pinMismatch(host: "a", presented: [])), .tlsHandshake, 90),
            (.tlsFailed(.pinSettings(reason: "")), .tlsHandshake, 90),
            (.tlsFailed(.identity(reason: "")), .tlsHandshake, 58),
            (.tlsFailed(.ciphers(reason: "")), .tlsHandshake, 59),
            (.tlsFailed(.hostname(expected: "a", presented: [])), .tlsHandshake, 60),
            (.tlsFailed(.trust(source: "f", reason: "")), .tlsHandshake, 77),
            (.tlsFailed(.alert(40, reason: "")), .tlsHandshake, 35),
            (.tlsFailed(.alert(116, reason: "")), .responseHead, 56),
            (.tlsFailed(.version), .tlsHandshake, 35),
            (.tlsFailed(.notTLS), .tlsHandshake, 35),
            (.tlsFailed(.closed), .tlsHandshake, 35),
            (.connectionLost(reason: ""), .tlsHandshake, 35),
            (.connectionLost(reason: ""), .sending, 55),
            (.connectionLost(reason: ""), .responseHead, 56),
            (.connectionLost(reason: ""), .body, 56),
            (.connectionClosed(.closedByPeer), .sending, 56),
            (.malformedResponse(.malformedStatus(offset: 9)), .responseHead, 8),
            (.malformedResponse(.conflictingContentLengths), .responseHead, 8),
            (.malformedResponse(.malformedChunkSize(offset: 0)), .body, 56),
            (.truncatedResponse(.closedBeforeResponse), .responseHead, 52),
            (.truncatedResponse(.headTruncated), .responseHead, 56),
            (.truncatedResponse(.bodyTruncated(received: 1, expected: 2)), .body, 18),
            (.codingFailed(.corruptCoding(.gzip)), .body, 61),
            (.codingFailed(.truncatedCoding(.deflate)), .body, 61),
            (.codingFailed(.unknownContentCoding), .body, 61),
            (.codingFailed(.codingOutOfMemory), .body, 27),
            (.limitExceeded(.limitExceeded(.headBytes(1))), .responseHead, 100),
            (.limitExceeded(.limitExceeded(.trailerBytes(1))), .body, 100),
            (.limitExceeded(.limitExceeded(.chunkExtensionBytes(1))), .body, 56),
            (.limitExceeded(.limitExceeded(.expansionRatio(1))), .body, 61),
            (.limitExceeded(.limitExceeded(.codingOverheadBytes(1))), .body, 61),
            (.limitExceeded(.limitExceeded(.codingCount(4))), .body, 61),
            (.limitExceeded(.limitExceeded(.decodedBytes(1))), .body, 63),
            (.bodyTooLarge(limit: 1), .body, 63), (.fileTooLarge(limit: 1), .body, 63),
            (.rejectedStatus(404), .decoding, 22),
            (.digestMissing(unsupported: []), .body, 8),
            (.malformedDigest(field: "a", value: ""), .body, 8),
            (.timedOut(.total), .body, 28),
            (.timedOut(.connect), .connect, 28),
            (.systemFailure(reason: ""), .connect, 27),
        ] as [(HTTPError.Kind, HTTPPhase, Int32)]
    )
    func `every failure has the exit code of curl`(
        kind: HTTPError.Kind,
        phase: HTTPPhase,
        expected: Int32
    ) {
        #expect(ExitCode(kind, phase: phase).number == expected)
    }

    @Test func `a wrong digest has a code that curl does not use`() throws {
        let expected = try HTTPDigest("sha256:" + String(repeating: "0", count: 64))
        let received = try HTTPDigest("sha256:" + String(repeating: "1", count: 64))
        let kind = HTTPError.Kind.digestMismatch(expected: expected, received: received)
        #expect(ExitCode(kind, phase: .body).number == 110)
    }

    @Test func `only failures of the program itself end the run`() {
        #expect(ExitCode.misuse.isFatal)
        #expect(!ExitCode.notConnected.isFatal)
        #expect(!ExitCode.writeFailed.isFatal)
        #expect(!ExitCode.done.isFatal)
    }
}

private let expired = TLSFailureReason.CertificateReason(
    kind: .expired,
    reason: "",
    depth: 0,
    subject: "",
    issuer: ""
)
