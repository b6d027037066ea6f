public import HTTPClient

/// A fault in the file of a cassette.
@nonexhaustive public enum HTTPCassetteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is not JSON.
    case json(HTTPJSON.ParsingError)
    /// The file is JSON but not a cassette.
    case unrecognizedFormat
    /// A later version of this library wrote the cassette.
    case unknownVersion
    /// A member, such as `response.status`, is missing or has another type; interactions are
    /// counted from 0.
    case invalidMember(String, interaction: Int)

    /// One line that describes the fault and its location.
    public var description: String {
        switch self {
        case .json(let reason): "it is not JSON: \(reason)"
        case .unrecognizedFormat: "it is not a cassette"
        case .unknownVersion: "it was written by a later version of HTTPClient"
        case .invalidMember(let name, let index):
            "interaction \(index) has no valid member \"\(name)\""
        }
    }
}
