#if Foundation
public import FoundationEssentials

extension HTTPBody {
    /// A value as JSON.
    ///
    /// A value that cannot be encoded makes a request that cannot be sent: sending it throws
    /// `.invalidRequest(.body(…))` with the encoder's reason.
    public static func json(
        _ value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) -> HTTPBody {
        do {
            let data = try encoder.encode(value)
            return HTTPBody(content: .bytes(Array(data)), contentType: "application/json")
        } catch {
            return HTTPBody(content: .invalid(reason: "\(error)"), contentType: nil)
        }
    }

    /// Octets as they are.
    ///
    /// The content type is `application/octet-stream` by default; nil sends no Content-Type.
    public static func data(
        _ data: Data,
        contentType: String? = "application/octet-stream"
    ) -> HTTPBody {
        .bytes(Array(data), contentType: contentType)
    }
}
#endif
