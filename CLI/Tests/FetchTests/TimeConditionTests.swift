import HTTPClient
import Testing
import fetch

@Suite struct TimeConditionTests {
    @Test(arguments: [(99, false, true), (100, false, false), (101, true, false)])
    func `a document with the date of the condition meets neither condition`(
        changed: Int,
        isNewer: Bool,
        isOlder: Bool
    ) {
        let date = HTTPDate(secondsSince1970: 100)
        let changed = HTTPDate(secondsSince1970: changed)
        #expect(TimeCondition(date: date, isBefore: false).isMet(by: changed) == isNewer)
        #expect(TimeCondition(date: date, isBefore: true).isMet(by: changed) == isOlder)
    }

    @Test(arguments: [(200, 100, true), (206, 100, true), (200, 101, false), (404, 100, false)])
    func `only the date of a document can fail the condition`(
        status: Int,
        changed: Int,
        isFailed: Bool
    ) {
        let condition = TimeCondition(date: HTTPDate(secondsSince1970: 100), isBefore: false)
        let changed = HTTPDate(secondsSince1970: changed)
        let fields: HTTPHeaders = [.lastModified: changed.description]
        #expect(condition.isFailed(by: HTTPStatus(status), fields) == isFailed)
        #expect(!condition.isFailed(by: HTTPStatus(status), [:]))
    }
}
