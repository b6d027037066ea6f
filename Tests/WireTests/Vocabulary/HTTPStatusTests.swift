import Testing
import Wire

@Suite struct HTTPStatusTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            (100, .informational), (199, .informational), (200, .successful), (304, .redirection),
            (404, .clientError), (599, .serverError), (600, .other), (99, .other), (0, .other),
        ] as [(Int, HTTPStatus.Kind)]
    )
    func `the first digit of a status is its class`(code: Int, kind: HTTPStatus.Kind) {
        #expect(HTTPStatus(code).kind == kind)
    }

    @Test func `known status codes have names`() {
        #expect(HTTPStatus.notFound.reasonPhrase == "Not Found")
        #expect("\(HTTPStatus.ok)" == "200 OK" && "\(HTTPStatus(299))" == "299")
        #expect(HTTPStatus.ok < .created && HTTPStatus.ok == 200)
    }

    @Test(
        .tags(.rfc9110),
        arguments: [
            (.continue, 100), (.switchingProtocols, 101), (.processing, 102), (.earlyHints, 103),
            (.ok, 200), (.created, 201), (.accepted, 202), (.nonAuthoritativeInformation, 203),
            (.noContent, 204), (.resetContent, 205), (.partialContent, 206), (.multiStatus, 207),
            (.multipleChoices, 300),
            (.movedPermanently, 301), (.found, 302), (.seeOther, 303), (.notModified, 304),
            (.useProxy, 305),
            (.temporaryRedirect, 307), (.permanentRedirect, 308), (.badRequest, 400),
            (.unauthorized, 401), (.paymentRequired, 402), (.forbidden, 403), (.notFound, 404),
            (.methodNotAllowed, 405), (.notAcceptable, 406), (.proxyAuthenticationRequired, 407),
            (.requestTimeout, 408), (.conflict, 409), (.gone, 410), (.lengthRequired, 411),
            (.preconditionFailed, 412), (.contentTooLarge, 413), (.uriTooLong, 414),
            (.unsupportedMediaType, 415), (.rangeNotSatisfiable, 416), (.expectationFailed, 417),
            (.misdirectedRequest, 421), (.unprocessableContent, 422), (.locked, 423),
            (.failedDependency, 424), (.tooEarly, 425), (.upgradeRequired, 426),
            (.preconditionRequired, 428), (.tooManyRequests, 429),
            (.requestHeaderFieldsTooLarge, 431), (.unavailableForLegalReasons, 451),
            (.internalServerError, 500), (.notImplemented, 501), (.badGateway, 502),
            (.serviceUnavailable, 503), (.gatewayTimeout, 504), (.httpVersionNotSupported, 505),
            (.insufficientStorage, 507), (.loopDetected, 508),
            (.networkAuthenticationRequired, 511),
        ] as [(HTTPStatus, Int)]
    )
    func `each named status has its registered code and a phrase`(
        status: HTTPStatus,
        code: Int
    ) {
        #expect(status.code == code)
        #expect(!status.reasonPhrase.isEmpty)
        #expect("\(status)" == "\(code) \(status.reasonPhrase)")
    }

    @Test func `unnamed status codes have no phrase`() {
        let named = (0...999).filter { !HTTPStatus($0).reasonPhrase.isEmpty }
        #expect(named.count == 57)
        #expect(HTTPStatus(306).reasonPhrase.isEmpty && HTTPStatus(418).reasonPhrase.isEmpty)
    }
}
