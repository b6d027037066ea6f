/// Says what is damaged in the file of a cassette.
@nonexhaustive public enum HTTPCassetteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is not JSON.
    case json(HTTPJSONError)
    /// JSON, but not a cassette.
    case unrecognizedFormat
    /// A cassette that a later version of this library wrote.
    case unknownVersion
    /// A member, such as `response.status`, is missing or of another kind; interactions are counted
    /// from 0.
    case invalidMember(String, interaction: Int)

    /// One line: what is wrong, and where.
    public var description: String {
        switch self {
        case .json(let fault): "it is not JSON: \(fault)"
        case .unrecognizedFormat: "it is not a cassette"
        case .unknownVersion: "a later version of HTTPClient wrote it"
        case .invalidMember(let name, let index):
            "interaction \(index) has no valid member \"\(name)\""
        }
    }
}
