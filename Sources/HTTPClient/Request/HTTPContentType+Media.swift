public import Wire

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
