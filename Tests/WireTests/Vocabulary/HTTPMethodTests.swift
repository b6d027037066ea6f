import Testing
import Wire

@Suite struct HTTPMethodTests {
    @Test(
        .tags(.rfc9110),
        arguments: [
            (.get, true, true), (.head, true, true), (.options, true, true), (.trace, true, true),
            (.put, false, true), (.delete, false, true), (.post, false, false),
            (.patch, false, false), (.connect, false, false), ("get", false, false),
        ] as [(HTTPMethod, Bool, Bool)]
    )
    func `§9.2: safe and idempotent methods are recognized`(
        method: HTTPMethod,
        isSafe: Bool,
        isIdempotent: Bool
    ) {
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
        #expect(method.isToken)
    }

    @Test(arguments: ["", "A B", "A\n", "\u{e9}"] as [HTTPMethod])
    func `a method that is not a token can be represented and is detected`(method: HTTPMethod) {
        #expect(!method.isToken)
    }

    @Test func `a method is compared by its text, with case`() {
        #expect(HTTPMethod(rawValue: "GET") == .get && HTTPMethod(rawValue: "get") != .get)
        #expect(Set([HTTPMethod.get, "GET", "get"]).count == 2)
    }
}
