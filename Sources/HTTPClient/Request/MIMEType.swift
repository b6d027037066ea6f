public import Wire

/// Names the format of content by its text, such as `text/html; charset=utf-8` (RFC 9110 §8.3.1).
///
/// Common ones have names; any other is a literal. ``mediaType`` takes it apart.
public struct MIMEType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value of Content-Type.
    public let rawValue: String

    /// Makes a type of that text, valid or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a type of that text, valid or not.
    public init(_ text: String) {
        rawValue = text
    }

    /// Makes a type of that text, valid or not.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// Type, subtype and parameters; nil when the text is none.
    public var mediaType: MediaType? { MediaType(rawValue) }

    /// The type with another charset, or with none; as it is when it is no media type.
    ///
    /// - Parameter name: such as `utf-8`; nil removes the parameter.
    /// - Returns: the type with its other parameters; one that no field can hold changes nothing.
    public func charset(_ name: String?) -> MIMEType {
        guard let type = mediaType else { return self }
        var parameters = type.parameters.filter { $0.name != "charset" }
        if let name {
            guard let parameter = FieldParameter("charset", name) else { return self }
            parameters.append(parameter)
        }
        let changed = MediaType(type.type, type.subtype, parameters: parameters)
        return changed.map { MIMEType($0.description) } ?? self
    }

    /// Compares type, subtype and parameters; case matters in values alone.
    public static func == (left: MIMEType, right: MIMEType) -> Bool {
        guard let one = left.mediaType, let other = right.mediaType else {
            return left.rawValue == right.rawValue
        }
        return one == other
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        if let mediaType { hasher.combine(mediaType) } else { hasher.combine(rawValue) }
    }
}

extension MIMEType: CustomStringConvertible {
    /// The text.
    public var description: String { rawValue }
}

extension MIMEType {
    /// JSON (RFC 8259); it is always UTF-8, so it has no charset.
    public static let json: MIMEType = "application/json"
    /// JSON, with the charset that some servers insist on.
    public static let jsonUTF8: MIMEType = "application/json; charset=utf-8"
    /// JSON, one value a line.
    public static let ndjson: MIMEType = "application/x-ndjson"
    /// Linked data as JSON.
    public static let jsonLD: MIMEType = "application/ld+json"
    /// The format of JSON:API.
    public static let jsonAPI: MIMEType = "application/vnd.api+json"
    /// Details of an error as JSON (RFC 9457).
    public static let problemJSON: MIMEType = "application/problem+json"
    /// Operations on a JSON document (RFC 6902).
    public static let jsonPatch: MIMEType = "application/json-patch+json"
    /// A JSON document to be merged into another (RFC 7396).
    public static let mergePatch: MIMEType = "application/merge-patch+json"
    /// Fields of a form, as browsers send them by default.
    public static let formURLEncoded: MIMEType = "application/x-www-form-urlencoded"
    /// XML (RFC 7303).
    public static let xml: MIMEType = "application/xml"
    /// XML for people to read.
    public static let textXML: MIMEType = "text/xml; charset=utf-8"
    /// A page.
    public static let html: MIMEType = "text/html; charset=utf-8"
    /// A page as XML.
    public static let xhtml: MIMEType = "application/xhtml+xml"
    /// Text as UTF-8.
    public static let plainText: MIMEType = "text/plain; charset=utf-8"
    /// A style sheet.
    public static let css: MIMEType = "text/css; charset=utf-8"
    /// Rows with commas (RFC 4180).
    public static let csv: MIMEType = "text/csv; charset=utf-8"
    /// A script (RFC 9239).
    public static let javaScript: MIMEType = "text/javascript; charset=utf-8"
    /// Text with marks (RFC 7763).
    public static let markdown: MIMEType = "text/markdown; charset=utf-8"
    /// A calendar (RFC 5545).
    public static let calendar: MIMEType = "text/calendar; charset=utf-8"
    /// Events of a server.
    public static let eventStream: MIMEType = "text/event-stream"
    /// YAML (RFC 9512).
    public static let yaml: MIMEType = "application/yaml"
    /// Octets of any kind.
    public static let octetStream: MIMEType = "application/octet-stream"
    /// A document as it is printed.
    public static let pdf: MIMEType = "application/pdf"
    /// Text with layout.
    public static let rtf: MIMEType = "application/rtf"
    /// A book.
    public static let epub: MIMEType = "application/epub+zip"
    /// An archive.
    public static let zip: MIMEType = "application/zip"
    /// Something compressed (RFC 6713).
    public static let gzip: MIMEType = "application/gzip"
    /// An archive that is not compressed.
    public static let tar: MIMEType = "application/x-tar"
    /// A compressed archive.
    public static let sevenZip: MIMEType = "application/x-7z-compressed"
    /// Zstandard (RFC 8878).
    public static let zstd: MIMEType = "application/zstd"
    /// WebAssembly.
    public static let wasm: MIMEType = "application/wasm"
    /// Protocol buffers.
    public static let protobuf: MIMEType = "application/x-protobuf"
    /// CBOR (RFC 8949).
    public static let cbor: MIMEType = "application/cbor"

    /// A picture.
    public static let png: MIMEType = "image/png"
    /// A photograph.
    public static let jpeg: MIMEType = "image/jpeg"
    /// A picture that may move.
    public static let gif: MIMEType = "image/gif"
    /// A picture of either kind.
    public static let webp: MIMEType = "image/webp"
    /// A picture, coded as AV1 is.
    public static let avif: MIMEType = "image/avif"
    /// A picture, coded as HEVC is.
    public static let heic: MIMEType = "image/heic"
    /// A drawing.
    public static let svg: MIMEType = "image/svg+xml"
    /// A picture that is not compressed.
    public static let bmp: MIMEType = "image/bmp"
    /// A picture as it is scanned.
    public static let tiff: MIMEType = "image/tiff"
    /// The small picture of a site.
    public static let icon: MIMEType = "image/vnd.microsoft.icon"

    /// Sound, MP3.
    public static let mp3: MIMEType = "audio/mpeg"
    /// Sound, AAC.
    public static let aac: MIMEType = "audio/aac"
    /// Sound, in MPEG-4.
    public static let mp4Audio: MIMEType = "audio/mp4"
    /// Sound, Ogg.
    public static let oggAudio: MIMEType = "audio/ogg"
    /// Sound, FLAC (RFC 9639).
    public static let flac: MIMEType = "audio/flac"
    /// Sound that is not compressed.
    public static let wav: MIMEType = "audio/wav"
    /// Notes of music.
    public static let midi: MIMEType = "audio/midi"
    /// Sound, WebM.
    public static let webmAudio: MIMEType = "audio/webm"

    /// Film, MPEG-4.
    public static let mp4: MIMEType = "video/mp4"
    /// Film, MPEG.
    public static let mpeg: MIMEType = "video/mpeg"
    /// Film, Ogg.
    public static let ogg: MIMEType = "video/ogg"
    /// Film, WebM.
    public static let webm: MIMEType = "video/webm"
    /// Film, QuickTime.
    public static let quickTime: MIMEType = "video/quicktime"

    /// Letters, OpenType.
    public static let otf: MIMEType = "font/otf"
    /// Letters, TrueType.
    public static let ttf: MIMEType = "font/ttf"
    /// Letters, compressed for pages.
    public static let woff: MIMEType = "font/woff"
    /// Letters, compressed better.
    public static let woff2: MIMEType = "font/woff2"
}
