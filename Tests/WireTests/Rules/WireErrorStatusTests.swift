import Testing
import Wire

@Suite struct WireErrorStatusTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            (.missingHost, .badRequest), (.malformedRequestLine(offset: 0), .badRequest),
            (.bareLineFeed(offset: 0), .badRequest), (.foldedLine(offset: 0), .badRequest),
            (.spaceBeforeColon(offset: 0), .badRequest), (.chunkedNotLast, .badRequest),
            (.chunkedTwice, .badRequest), (.conflictingContentLengths, .badRequest),
            (.transferEncodingInHTTP10, .badRequest), (.malformedChunkEnd(offset: 0), .badRequest),
            (.headTruncated, .badRequest), (.bodyTruncated(received: 0, expected: 1), .badRequest),
            (.corruptCoding(.gzip), .badRequest), (.foreignProtocol(.http09), .badRequest),
            (.foreignProtocol(.tls), .badRequest),
            (.foreignProtocol(.http2), .httpVersionNotSupported),
            (.unsupportedVersion(major: 3, minor: 0), .httpVersionNotSupported),
            (.unknownTransferCoding, .notImplemented),
            (.limitExceeded(.requestLineBytes(1)), .uriTooLong),
            (.limitExceeded(.headBytes(1)), .requestHeaderFieldsTooLarge),
            (.limitExceeded(.fieldCount(1)), .requestHeaderFieldsTooLarge),
            (.limitExceeded(.trailerBytes(1)), .requestHeaderFieldsTooLarge),
            (.limitExceeded(.trailerCount(1)), .requestHeaderFieldsTooLarge),
            (.limitExceeded(.requestBodyBytes(1)), .contentTooLarge),
            (.limitExceeded(.decodedBytes(1)), .contentTooLarge),
            (.limitExceeded(.expansionRatio(1)), .contentTooLarge),
            (.limitExceeded(.chunkLineBytes(1)), .badRequest),
            (.limitExceeded(.chunkExtensionBytes(1)), .badRequest),
            (.invalidFieldValue(index: 0), .internalServerError),
            (.sentOutOfOrder, .internalServerError),
            // Errors of responses have no status.
            (.limitExceeded(.informationalCount(1)), nil), (.malformedStatus(offset: 0), nil),
            (.malformedReason(offset: 0), nil), (.closedBeforeResponse, nil),
            (.unofferedUpgrade, nil),
        ] as [(WireError, HTTPStatus?)]
    )
    func `each request error maps to a response status`(error: WireError, status: HTTPStatus?) {
        #expect(error.responseStatus == status)
    }
}
