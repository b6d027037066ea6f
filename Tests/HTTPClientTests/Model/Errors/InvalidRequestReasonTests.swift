import ClientSupport
import HTTPClient
import Testing

/// Tests that error messages state what to change and who is to blame.
@Suite struct InvalidRequestReasonTests {
    @Test(arguments: [
        (
            HTTPError.InvalidRequestReason.url("http://[a", .invalidURI(.invalidPort, offset: 7)),
            "http://[a"
        ),
        (.url("http://a", .invalidURI(.internationalHost(.traitDisabled), offset: 7)), "trait IDN"),
        (.url("http://u:geheim@a b", .invalidURI(.invalidPort, offset: 7)), "http://***@a b"),
        (.relativeURL("x/y"), "\"x/y\""), (.relativeURL("x"), "base URL"),
        (.missingScheme("//a/b"), "https://a/b"),
        (.missingScheme("localhost:8080/x"), "write http://localhost:8080/x"),
        (.template("/{a", .unclosedExpression(offset: 1)), "/{a"),
        (.parameter(name: "size", .notANumber), "\"size\""),
        (.parameter(name: "size", .notANumber), "omit it, or pass text"),
        (.parameter(name: "size", .infinite), "omit it, or pass text"),
        (.parameter(name: "size", .negativeZero), "use 0"),
        (.parameter(name: "when", .dateOutOfRange), "pass text"),
        (.parameter(name: "list", .nestedInCommaList), "\"list\""),
        (.parameter(name: "list", .notAnObject), "use a struct"),
        (.parameter(name: "list", .thrown(description: "No")), "No"),
        (.parameter(name: "list", .tooDeep(limit: 9)), "9"),
        (.parameter(name: "list", .unsupportedType("Car")), "a Car cannot be a parameter"),
        (.colonInUserName, "user name"), (.headModifier(reason: "Broken()"), "Broken()"),
        (.headModifier(reason: "Broken()"), "remove it"),
        (.proxy(.unsupportedScheme("ftp")), "ftp"), (.proxy(.malformed(nil)), "proxy"),
        (.noProxy, "pass one"), (.unsupportedScheme("ftp"), "\"ftp\""),
        (.refused(.invalidFieldValue(index: 2)), "header 3"), (.refused(.invalidMethod), "method"),
        (.framingField("Content-Length"), "remove the field Content-Length"),
        (.body(reason: "No"), "No"), (.bodyOffset(7, reason: "No"), "byte 7 on: No"),
        (.unencodableText("ü", charset: "us-ascii"), "us-ascii"),
        (.bodyFile("/a/b", .notRegular), "/a/b"), (.bodyAlreadyConsumed, "closure"),
        (.rateLimit(-1), "-1 bytes"),
        (.multipart(.missingName(part: 3)), "part 3"),
        (.multipart(.invalidBoundary("ü")), "boundary"),
        (.multipart(.boundaryInContent(part: nil)), "preamble"),
        (.multipart(.invalidHeader(part: 1, name: "X Y")), "X Y"),
        (.blockingInsideTask, "async"), (.connectionReleased, "acquire another"),
        (.connectionMismatch, "connection"), (.overlappingRead, "one task"),
        (.unixSocket(.empty), "empty"), (.overlappingWrite, "one task"),
        (.segments(.upTo(17)), "17 segments"), (.segments(.upTo(2, minSize: 0)), "at least 1"),
        (.resumeData(.urlMismatch), "another URL"), (.proxy(.port(-1)), "-1 is not in 1...65535"),
        (.connectPort(70_000), "70000"), (.skippedPart, "before"), (.bodyLength(-1), "-1"),
        (.negativeNumber(header: "Range"), "Range"), (.trailerField("TE"), "header field"),
    ])
    func `an error message names the culprit or the remedy`(
        reason: HTTPError.InvalidRequestReason,
        words: String
    ) {
        #expect(reason.description.contains(words))
        #expect(!reason.description.contains("\n"))
        #expect(!reason.description.contains("geheim"))
    }

    #if !IDN
    @Test func `without the IDN trait an international host gives an error that names the trait`()
        async
    {
        let text = "http://b\u{FC}cher.example/"
        let error = await failure { try await HTTPClient().send(HTTPRequest(text)) }
        let reason = WireError.invalidURI(.internationalHost(.traitDisabled), offset: 7)
        #expect(error?.kind == .invalidRequest(.url(text, reason)))
        for words in [text, "trait IDN", "xn--"] {
            #expect(error?.description.contains(words) == true)
            #expect(HTTPError.RedirectReason.invalidLocation(text).description.contains(words))
        }
        #expect(error?.blame == .caller)
    }
    #endif

    @Test func `a host with a port is not parsed as a scheme`() async {
        for text in ["localhost:8080/x", "localhost:8080", "api.example.com:80/a/b"] {
            let error = await failure { try await HTTPClient().send(HTTPRequest(text)) }
            #expect(error?.kind == .invalidRequest(.missingScheme(text)))
            #expect(error?.description.contains("http://\(text)") == true)
        }
        for text in ["mailto:a@b", "urn:isbn:1", "data:,1", "tel:+4930", "a:123456"] {
            let error = await failure { try await HTTPClient().send(HTTPRequest(text)) }
            guard case .invalidRequest(.unsupportedScheme) = error?.kind else {
                Issue.record("\(text): got \(String(describing: error))")
                continue
            }
        }
    }
}
