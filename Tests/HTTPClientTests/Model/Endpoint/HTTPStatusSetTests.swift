import HTTPClient
import Testing

@Suite struct HTTPStatusSetTests {
    @Test func `sets with equal statuses are equal, however they were built`() {
        #expect(HTTPStatusSet(200...203) == [200, 201, 202, 203])
        #expect(HTTPStatusSet([HTTPStatus.ok, 202]).union([201]) == HTTPStatusSet(200...202))
        #expect(HTTPStatusSet(200...299).union(HTTPStatusSet(250...260)) == .successful)
        #expect(HTTPStatusSet([200, 202]) != [200, 201, 202])
    }

    @Test func `the widest ranges are joined without overflow`() {
        let low = HTTPStatusSet(.min...4)
        #expect(low.union(HTTPStatusSet(5...(.max))) == .any)
        #expect(HTTPStatusSet.any.union(low) == .any && low.union(.any) == .any)
        #expect(HTTPStatusSet.any.union([HTTPStatus(.max), HTTPStatus(.min)]) == .any)
    }

    private static let rows: [(HTTPStatusSet, HTTPStatus, Bool)] = [
        (.successful, 199, false), (.successful, 200, true), (.successful, 299, true),
        (.successful, 300, false), ([], 200, false), (.any, 999, true), ([404, 200], 404, true),
        ([404, 200], 300, false), (HTTPStatusSet(32_767...32_767).union([0]), 32_767, true),
        (.any, HTTPStatus(.min), true), (.any, HTTPStatus(.max), true), (.successful, -200, false),
    ]

    @Test(arguments: rows)
    func `a set contains only its statuses`(set: HTTPStatusSet, status: HTTPStatus, isIn: Bool) {
        #expect(set.contains(status) == isIn)
    }
}
