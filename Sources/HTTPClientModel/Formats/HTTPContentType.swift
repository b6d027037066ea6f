public import Wire

/// The format of a body: the value of the header field Content-Type.
///
///     request.body = .bytes(picture, contentType: .png)
///     request.body = .string(page, contentType: "text/html")
///
/// Any text can be stored. A value that is not valid in a header field is rejected on sending.
///
/// It is for sending. The type of a received body is a ``MediaType``, which is parsed into its parts.
public struct HTTPContentType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value of the header field, such as `text/html; charset=utf-8`.
    public let rawValue: String

    /// Creates a content type from the value of the header field.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a content type from the value of the header field.
    public init(_ value: String) {
        rawValue = value
    }

    /// Creates a content type from the value of the header field.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// Creates the content type of a file extension, such as `png`; ASCII case does not matter.
    ///
    /// Nil for an extension that is not in the built-in table of common web types.
    public init?(fileExtension: String) {
        guard let type = Self.types[fileExtension.lowercasedASCII] else { return nil }
        rawValue = type
    }

    /// Creates the content type for a file name; `application/octet-stream` for unknown extensions.
    public init(fileName: String) {
        let name = fileName.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            fileName[fileName.utf8.index(after: $0)...]
        }
        let last = name ?? fileName[...]
        guard let dot = last.utf8.lastIndex(of: UInt8(ascii: ".")), dot != last.startIndex,
            let known = HTTPContentType(fileExtension: String(last[last.utf8.index(after: dot)...]))
        else {
            self = .octetStream
            return
        }
        self = known
    }
}

extension HTTPContentType: CustomStringConvertible {
    /// The value of the header field.
    public var description: String { rawValue }
}

extension HTTPContentType {
    // MARK: - Common types

    /// `application/octet-stream`: arbitrary bytes.
    public static let octetStream = HTTPContentType("application/octet-stream")
    /// `application/json`, which is UTF-8 and has no charset (RFC 8259 §11).
    public static let json = HTTPContentType("application/json")
    /// `application/problem+json` (RFC 9457).
    public static let problemJSON = HTTPContentType("application/problem+json")
    /// `application/merge-patch+json` (RFC 7396).
    public static let mergePatchJSON = HTTPContentType("application/merge-patch+json")
    /// `application/json-patch+json` (RFC 6902).
    public static let patchJSON = HTTPContentType("application/json-patch+json")
    /// `application/x-ndjson`: one JSON value per line.
    public static let jsonLines = HTTPContentType("application/x-ndjson")
    /// `application/x-www-form-urlencoded`.
    public static let formURLEncoded = HTTPContentType("application/x-www-form-urlencoded")
    /// Text in UTF-8.
    public static let text = HTTPContentType("text/plain; charset=utf-8")
    /// HTML in UTF-8.
    public static let html = HTTPContentType("text/html; charset=utf-8")
    /// CSS in UTF-8.
    public static let css = HTTPContentType("text/css; charset=utf-8")
    /// Comma-separated values in UTF-8 (RFC 4180).
    public static let csv = HTTPContentType("text/csv; charset=utf-8")
    /// `text/javascript` (RFC 9239).
    public static let javaScript = HTTPContentType("text/javascript")
    /// `application/xml` (RFC 7303).
    public static let xml = HTTPContentType("application/xml")
    /// `application/yaml` (RFC 9512).
    public static let yaml = HTTPContentType("application/yaml")
    /// `application/graphql-response+json`: the response type of GraphQL over HTTP.
    public static let graphQLResponse = HTTPContentType("application/graphql-response+json")
    /// `text/event-stream`.
    public static let eventStream = HTTPContentType("text/event-stream")
    /// `application/cbor` (RFC 8949).
    public static let cbor = HTTPContentType("application/cbor")
    /// `application/wasm`.
    public static let wasm = HTTPContentType("application/wasm")

    // MARK: - Documents and archives

    /// `application/pdf`.
    public static let pdf = HTTPContentType("application/pdf")
    /// `application/rtf`.
    public static let rtf = HTTPContentType("application/rtf")
    /// `application/zip`.
    public static let zip = HTTPContentType("application/zip")
    /// `application/gzip` (RFC 6713).
    public static let gzip = HTTPContentType("application/gzip")
    /// `application/zstd` (RFC 8878).
    public static let zstd = HTTPContentType("application/zstd")
    /// `application/x-tar`.
    public static let tar = HTTPContentType("application/x-tar")

    // MARK: - Images, audio, video and fonts

    /// `image/png`.
    public static let png = HTTPContentType("image/png")
    /// `image/jpeg`.
    public static let jpeg = HTTPContentType("image/jpeg")
    /// `image/gif`.
    public static let gif = HTTPContentType("image/gif")
    /// `image/webp`.
    public static let webP = HTTPContentType("image/webp")
    /// `image/avif`.
    public static let avif = HTTPContentType("image/avif")
    /// `image/heic`.
    public static let heic = HTTPContentType("image/heic")
    /// `image/svg+xml`.
    public static let svg = HTTPContentType("image/svg+xml")
    /// `image/tiff`.
    public static let tiff = HTTPContentType("image/tiff")
    /// `audio/mpeg`: the type of MP3 files.
    public static let mp3 = HTTPContentType("audio/mpeg")
    /// `audio/mp4`.
    public static let m4a = HTTPContentType("audio/mp4")
    /// `audio/wav`.
    public static let wav = HTTPContentType("audio/wav")
    /// `audio/ogg`.
    public static let ogg = HTTPContentType("audio/ogg")
    /// `audio/flac`.
    public static let flac = HTTPContentType("audio/flac")
    /// `video/mp4`.
    public static let mp4 = HTTPContentType("video/mp4")
    /// `video/mpeg`.
    public static let mpeg = HTTPContentType("video/mpeg")
    /// `video/webm`.
    public static let webM = HTTPContentType("video/webm")
    /// `video/quicktime`.
    public static let quickTime = HTTPContentType("video/quicktime")
    /// `font/otf`.
    public static let otf = HTTPContentType("font/otf")
    /// `font/ttf`.
    public static let ttf = HTTPContentType("font/ttf")
    /// `font/woff`.
    public static let woff = HTTPContentType("font/woff")
    /// `font/woff2`.
    public static let woff2 = HTTPContentType("font/woff2")

    /// Content types by file extension, in lower case.
    ///
    /// Text types have no charset, because the client does not inspect the file.
    private static let types: [String: String] = [
        "aac": "audio/aac", "avif": "image/avif", "avi": "video/x-msvideo", "bmp": "image/bmp",
        "bz2": "application/x-bzip2", "cbor": "application/cbor", "css": "text/css",
        "csv": "text/csv", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif",
        "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif", "htm": "text/html",
        "html": "text/html", "ico": "image/vnd.microsoft.icon", "ics": "text/calendar",
        "jar": "application/java-archive", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript", "json": "application/json", "jsonld": "application/ld+json",
        "m4a": "audio/mp4", "m4v": "video/mp4", "md": "text/markdown", "mid": "audio/midi",
        "midi": "audio/midi", "mjs": "text/javascript", "mkv": "video/matroska",
        "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg",
        "mpg": "video/mpeg", "ndjson": "application/x-ndjson",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet",
        "odt": "application/vnd.oasis.opendocument.text", "oga": "audio/ogg", "ogg": "audio/ogg",
        "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
        "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar",
        "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml",
        "tsv": "text/tab-separated-values", "ttf": "font/ttf", "txt": "text/plain",
        "vcf": "text/vcard", "wasm": "application/wasm", "wav": "audio/wav",
        "weba": "audio/webm", "webm": "video/webm", "webp": "image/webp", "woff": "font/woff",
        "woff2": "font/woff2", "xhtml": "application/xhtml+xml",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml",
        "zip": "application/zip", "zst": "application/zstd", "7z": "application/x-7z-compressed",
    ]
}

extension HTTPContentType {
    /// JSON with a charset parameter, which some servers require.
    public static let jsonUTF8 = HTTPContentType("application/json; charset=utf-8")
    /// `application/ld+json`: JSON-LD, linked data as JSON.
    public static let jsonLD = HTTPContentType("application/ld+json")
    /// `application/vnd.api+json`: the format of JSON:API.
    public static let jsonAPI = HTTPContentType("application/vnd.api+json")
    /// `text/xml` in UTF-8.
    public static let textXML = HTTPContentType("text/xml; charset=utf-8")
    /// `application/xhtml+xml`: XHTML.
    public static let xhtml = HTTPContentType("application/xhtml+xml")
    /// Markdown in UTF-8 (RFC 7763).
    public static let markdown = HTTPContentType("text/markdown; charset=utf-8")
    /// iCalendar data in UTF-8 (RFC 5545).
    public static let calendar = HTTPContentType("text/calendar; charset=utf-8")
    /// Protocol Buffers.
    public static let protobuf = HTTPContentType("application/x-protobuf")

    /// The type, subtype and parameters; nil when the value is not a media type.
    public var mediaType: MediaType? { MediaType(rawValue) }

    /// Creates a content type from a media type.
    public init(_ type: MediaType) {
        self.init(type.description)
    }

    /// Returns the type with another charset, or without one.
    ///
    /// The type is returned unchanged when it is not a media type, or when the charset is not valid in
    /// a header field.
    ///
    /// - Parameter name: the charset, such as `utf-8`; nil removes the parameter.
    /// - Returns: the type with its other parameters.
    public func charset(_ name: String?) -> HTTPContentType {
        guard let type = mediaType else { return self }
        var parameters = type.parameters.filter { $0.name != "charset" }
        if let name {
            guard let parameter = FieldParameter("charset", name) else { return self }
            parameters.append(parameter)
        }
        let changed = MediaType(type.type, type.subtype, parameters: parameters)
        return changed.map { HTTPContentType($0) } ?? self
    }
}
