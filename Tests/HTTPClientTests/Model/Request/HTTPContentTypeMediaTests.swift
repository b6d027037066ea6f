import HTTPClient
import Testing

@Suite struct HTTPContentTypeMediaTests {
    @Test func `presets are valid media types in canonical spelling`() {
        let presets: [HTTPContentType] = [
            .json, .jsonUTF8, .jsonLD, .jsonAPI, .problemJSON, .formURLEncoded, .xml, .textXML,
            .html, .xhtml, .css, .csv, .javaScript, .markdown, .calendar, .eventStream, .yaml,
            .octetStream, .pdf, .rtf, .zip, .gzip, .tar, .zstd, .wasm, .protobuf, .cbor, .png,
            .jpeg, .gif, .avif, .heic, .svg, .tiff, .mp3, .flac, .wav, .mp4, .mpeg, .quickTime,
            .otf, .ttf, .woff, .woff2,
        ]
        for preset in presets {
            #expect(preset.mediaType?.description == preset.rawValue)
        }
        #expect(Set(presets).count == presets.count)
    }

    @Test(
        arguments: [
            (.html, "iso-8859-1", "text/html; charset=iso-8859-1"), (.html, nil, "text/html"),
            (.json, "utf-8", "application/json; charset=utf-8"),
            ("text/x; a=b; charset=x", "y", "text/x; a=b; charset=y"), ("nothing", "y", "nothing"),
            (.html, "a\r\nb", "text/html; charset=utf-8"),
        ] as [(HTTPContentType, String?, String)]
    )
    func `a charset is set and removed`(
        type: HTTPContentType,
        charset: String?,
        expected: String
    ) {
        #expect(type.charset(charset).rawValue == expected)
    }
}
