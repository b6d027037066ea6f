import Testing
import Wire

@Suite struct ContentCodingTests {
    @Test func `Accept-Encoding offers exactly the codings that the build decodes`() {
        let optional: [(coding: ContentCoding, name: String)] = [(.zstd, "zstd"), (.brotli, "br")]
        let built = optional.filter(\.coding.isSupported).map(\.name)
        #expect(
            ContentCoding.acceptEncoding == (built + ["gzip", "deflate"]).joined(separator: ", ")
        )
    }

    @Test(arguments: [ContentCoding.gzip, .deflate, .identity])
    func `codings that need no other library are always built`(coding: ContentCoding) {
        #expect(coding.isSupported)
    }
}
