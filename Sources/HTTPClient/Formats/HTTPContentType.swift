public import Wire

/// Names the format of a body, as the field Content-Type says it.
///
///     request.body = .bytes(picture, contentType: .png)
///     request.body = .string(page, contentType: "text/html")
///
/// Any text can be held; what may not stand in a field is refused when the request is sent.
public struct HTTPContentType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value of the field, such as `text/html; charset=utf-8`.
    public let rawValue: String

    /// Makes a content type of the field's value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a content type of the field's value.
    public init(_ value: String) {
        rawValue = value
    }

    /// Makes a content type of the field's value.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// Finds the type of files with that extension, such as `png`; ASCII case does not matter.
    ///
    /// Nil for one that is not in the table, which has the types that the web knows.
    public init?(fileExtension: String) {
        guard let type = Self.types[fileExtension.lowercasedASCII] else { return nil }
        rawValue = type
    }

    /// Finds the type by the end of a file's name; `application/octet-stream` when it says nothing.
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
    /// The value of the field.
    public var description: String { rawValue }
}

extension HTTPContentType {
    // MARK: - Often sent

    /// Bytes of which nothing is known.
    public static let octetStream = HTTPContentType("application/octet-stream")
    /// `application/json`, which is UTF-8 and has no charset (RFC 8259 §11).
    public static let json = HTTPContentType("application/json")
    /// `application/problem+json` (RFC 9457).
    public static let problemJSON = HTTPContentType("application/problem+json")
    /// `application/merge-patch+json` (RFC 7396).
    public static let mergePatchJSON = HTTPContentType("application/merge-patch+json")
    /// `application/json-patch+json` (RFC 6902).
    public static let patchJSON = HTTPContentType("application/json-patch+json")
    /// JSON values, one a line: `application/x-ndjson`.
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
    /// `application/graphql-response+json`, as GraphQL over HTTP answers.
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

    // MARK: - Pictures, sound, fonts

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
    /// `audio/mpeg`, as MP3 files have it.
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

    /// File extensions, in lower case.
    ///
    /// Text is given without a charset: what is in the file, nobody has looked at.
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

/// Names the format of content; ``HTTPContentType`` by its other usual name.
public typealias MIMEType = HTTPContentType

extension HTTPContentType {
    /// JSON, with the charset that some servers insist on.
    public static let jsonUTF8 = HTTPContentType("application/json; charset=utf-8")
    /// Linked data as JSON.
    public static let jsonLD = HTTPContentType("application/ld+json")
    /// The format of JSON:API.
    public static let jsonAPI = HTTPContentType("application/vnd.api+json")
    /// XML for people to read.
    public static let textXML = HTTPContentType("text/xml; charset=utf-8")
    /// A page as XML.
    public static let xhtml = HTTPContentType("application/xhtml+xml")
    /// Text with marks (RFC 7763).
    public static let markdown = HTTPContentType("text/markdown; charset=utf-8")
    /// A calendar (RFC 5545).
    public static let calendar = HTTPContentType("text/calendar; charset=utf-8")
    /// Protocol buffers.
    public static let protobuf = HTTPContentType("application/x-protobuf")

    /// Type, subtype and parameters; nil when the text is no media type.
    public var mediaType: MediaType? { MediaType(rawValue) }

    /// Makes a content type of a media type.
    public init(_ type: MediaType) {
        self.init(type.description)
    }

    /// The type with another charset, or with none; as it is when it is no media type.
    ///
    /// - Parameter name: such as `utf-8`; nil removes the parameter.
    /// - Returns: the type with its other parameters; one that no field can hold changes nothing.
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
