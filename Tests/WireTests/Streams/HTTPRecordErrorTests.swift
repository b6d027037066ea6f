import Testing
import Wire

@Suite struct HTTPRecordErrorTests {
    @Test(
        arguments: [
            (.lineTooLong(limit: 7), "7 bytes"), (.recordTooLong(limit: 7), "7 bytes"),
            (.eventTooLong(limit: 7), "7 bytes"), (.missingRecordSeparator(offset: 7), "byte 7"),
            (.truncatedRecord(offset: 7), "byte 7"), (.tooManyReconnects(limit: 7), "7 reconnects"),
            (.notEventStream(contentType: nil), "no Content-Type"),
            (.notEventStream(contentType: "a\nb"), "\"a\\nb\""),
            (.notMultipart(contentType: nil), "no Content-Type"),
            (.notMultipart(contentType: "a/b"), "\"a/b\""), (.unsendableEventID, "control byte"),
            (.malformedMultipart(.missingPart), "missingPart"),
        ] as [(HTTPRecordError, String)]
    )
    func `a description names the limit, the place or the value`(
        error: HTTPRecordError,
        part: String
    ) {
        #expect(error.description.contains(part) && !error.description.contains("\n"))
    }
}
