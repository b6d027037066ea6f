import Testing
import Wire

@Suite struct HTTPStatusTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            (100, .informational), (199, .informational), (200, .successful), (304, .redirection),
            (404, .clientError), (599, .serverError), (600, .other), (99, .other), (0, .other),
        ] as [(UInt16, HTTPStatus.Kind)]
    )
    func `the first digit is the class`(code: UInt16, kind: HTTPStatus.Kind) {
        #expect(HTTPStatus(code).kind == kind)
    }

    @Test func `known codes have names`() {
        #expect(HTTPStatus.notFound.reasonPhrase == "Not Found")
        #expect("\(HTTPStatus.ok)" == "200 OK" && "\(HTTPStatus(299))" == "299")
        #expect(HTTPStatus.ok < .created && HTTPStatus.ok == 200)
    }
}
