import HTTPClient
import Testing

@Suite struct MIMETypeTests {
    @Test func `every preset is a media type, spelled as it is formatted`() {
        let presets: [MIMEType] = [
            .json, .jsonUTF8, .ndjson, .jsonLD, .jsonAPI, .problemJSON, .jsonPatch, .mergePatch,
            .formURLEncoded, .xml, .textXML, .html, .xhtml, .plainText, .css, .csv, .javaScript,
            .markdown, .calendar, .eventStream, .yaml, .octetStream, .pdf, .rtf, .epub, .zip, .gzip,
            .tar, .sevenZip, .zstd, .wasm, .protobuf, .cbor, .png, .jpeg, .gif, .webp, .avif, .heic,
            .svg, .bmp, .tiff, .icon, .mp3, .aac, .mp4Audio, .oggAudio, .flac, .wav, .midi,
            .webmAudio, .mp4, .mpeg, .ogg, .webm, .quickTime, .otf, .ttf, .woff, .woff2,
        ]
        for preset in presets {
            #expect(preset.mediaType?.description == preset.rawValue)
        }
        #expect(Set(presets).count == presets.count)
    }

    @Test(
        arguments: [
            (MIMEType.html, "iso-8859-1", "text/html; charset=iso-8859-1"),
            (.html, nil, "text/html"), (.json, "utf-8", "application/json; charset=utf-8"),
            ("text/x; a=b; charset=x", "y", "text/x; a=b; charset=y"), ("nothing", "y", "nothing"),
            (.html, "a\r\nb", "text/html; charset=utf-8"),
        ] as [(MIMEType, String?, String)]
    )
    func `a charset is set and removed`(type: MIMEType, charset: String?, expected: String) {
        #expect(type.charset(charset).rawValue == expected)
    }

    @Test func `types are compared as media types are`() {
        #expect(MIMEType("Text/HTML;Charset=utf-8") == .html)
        #expect(MIMEType("text/html") != .html)
        #expect(MIMEType("?") == "?" && MIMEType(rawValue: "?") != "!")
        #expect(Set(["text/a", "TEXT/A", "?"] as [MIMEType]).count == 2)
    }
}
