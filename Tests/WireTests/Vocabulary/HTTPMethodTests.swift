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

    /// The registry of IANA, with the columns Safe and Idempotent.
    private static let registry = """
        ACL n y, BASELINE-CONTROL n y, BIND n y, CHECKIN n y, CHECKOUT n y, CONNECT n n, COPY n y, DELETE n y,
        GET y y, HEAD y y, LABEL n y, LINK n y, LOCK n n, MERGE n y, MKACTIVITY n y, MKCALENDAR n y, MKCOL n y,
        MKREDIRECTREF n y, MKWORKSPACE n y, MOVE n y, OPTIONS y y, ORDERPATCH n y, PATCH n n, POST n n, PRI y y,
        PROPFIND y y, PROPPATCH n y, PUT n y, QUERY y y, REBIND n y, REPORT y y, SEARCH y y, TRACE y y, UNBIND n y,
        UNCHECKOUT n y, UNLINK n y, UNLOCK n y, UPDATE n y, UPDATEREDIRECTREF n y, VERSION-CONTROL n y
        """

    @Test(.tags(.rfc9110)) func `§16.1: the methods of the registry are known`() {
        let rows = Self.registry.split { $0 == "," || $0 == "\n" }.map { $0.split(separator: " ") }
            .filter { !$0.isEmpty }
        #expect(rows.count == 40)
        for row in rows {
            let method = HTTPMethod(String(row[0]))
            #expect(method.isSafe == (row[1] == "y"), "\(method)")
            #expect(method.isIdempotent == (row[2] == "y"), "\(method)")
        }
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
