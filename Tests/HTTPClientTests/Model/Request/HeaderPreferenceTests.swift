import HTTPClient
import Testing

@Suite struct HeaderPreferenceTests {
    @Test(
        arguments: [
            (["de-CH", "en"], "de-CH, en;q=0.9"),
            (["de_CH.UTF-8", "C", "en@euro"], "de-CH, en;q=0.9"),
            (["fr;q=0.3", "zh_Hant_TW"], "fr;q=0.3, zh-Hant-TW;q=0.9"), (["POSIX"], nil), ([], nil),
            (
                (0..<12).map { "x\($0)" },
                "x0, x1;q=0.9, x2;q=0.8, x3;q=0.7, x4;q=0.6, x5;q=0.5, x6;q=0.4, x7;q=0.3, x8;q=0.2"
                    + ", x9;q=0.1, x10;q=0.1, x11;q=0.1"
            ),
        ] as [([String], String?)]
    )
    func `languages have falling weights`(languages: [String], value: String?) {
        var headers: HTTPHeaders = ["accept-language": "it", "Accept-Language": "es"]
        headers.acceptLanguage = languages
        #expect(headers.values(.acceptLanguage) == (value.map { [$0] } ?? []))
    }

    @Test func `languages are read by weight`() {
        let headers: HTTPHeaders = [
            "Accept-Language": "a;q=0.5 , b ; q=0.7, ,c;q=0", "accept-language": "d, e;Q=0.7",
        ]
        #expect(headers.acceptLanguage == ["d", "b", "e", "a"])
    }

    @Test func `charsets and codings have the same form`() {
        var headers = HTTPHeaders()
        headers.acceptCharset = ["utf-8", "iso-8859-1"]
        headers.acceptEncoding = ["br", "gzip"]
        #expect(headers[.acceptCharset] == "utf-8, iso-8859-1;q=0.9")
        #expect(headers[.acceptEncoding] == "br, gzip;q=0.9")
        #expect(headers.acceptCharset == ["utf-8", "iso-8859-1"])
        #expect(headers.acceptEncoding == ["br", "gzip"])
        headers.acceptEncoding = []
        #expect(!headers.contains(.acceptEncoding))
    }

    @Test func `an API key is not shown`() {
        var headers = HTTPHeaders()
        headers.apiKey = "7f3a"
        #expect(headers["x-api-key"] == "7f3a" && headers.apiKey == "7f3a")
        #expect(headers.description == "X-API-Key: ***")
        headers.apiKey = nil
        #expect(headers.isEmpty)
    }

    @Test func `a disposition is set and removed`() {
        var headers = HTTPHeaders()
        headers.contentDisposition = ContentDisposition("attachment", fileName: "a b.txt")
        #expect(headers[.contentDisposition] == #"attachment; filename="a b.txt""#)
        headers.contentDisposition = nil
        #expect(headers.isEmpty)
    }
}
