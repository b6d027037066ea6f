/// Holds the content of a request, and what kind of content it is.
///
/// The content type becomes the Content-Type field unless the request has one. The length is known,
/// and the body can be sent again.
public struct HTTPBody: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case none
        case bytes([UInt8])
        /// The value could not be encoded; said when the request is sent.
        case invalid(reason: String)
    }

    let content: Content

    /// The media type; nil sends no Content-Type.
    public let contentType: String?

    init(content: Content, contentType: String?) {
        self.content = content
        self.contentType = contentType
    }

    /// The octets to send; empty for ``none``.
    public var bytes: [UInt8] {
        if case .bytes(let bytes) = content { bytes } else { [] }
    }

    /// No content: no Content-Type, and no Content-Length unless the method expects content.
    public static let none = HTTPBody(content: .none, contentType: nil)

    /// Octets as they are.
    ///
    /// The content type is `application/octet-stream` by default; nil sends no Content-Type.
    public static func bytes(
        _ bytes: [UInt8],
        contentType: String? = "application/octet-stream"
    ) -> HTTPBody {
        HTTPBody(content: .bytes(bytes), contentType: contentType)
    }

    /// Text as UTF-8.
    public static func string(
        _ text: String,
        contentType: String = "text/plain; charset=utf-8"
    ) -> HTTPBody {
        HTTPBody(content: .bytes(Array(text.utf8)), contentType: contentType)
    }

    /// JSON text that is already encoded.
    public static func json(text: String) -> HTTPBody {
        HTTPBody(content: .bytes(Array(text.utf8)), contentType: "application/json")
    }

    /// Names and values as `application/x-www-form-urlencoded`, in the order given, repeats kept.
    public static func form(_ fields: KeyValuePairs<String, String>) -> HTTPBody {
        form(fields.map { ($0.key, $0.value) })
    }

    /// Names and values as `application/x-www-form-urlencoded`, in the order given, repeats kept.
    public static func form(_ fields: [(String, String)]) -> HTTPBody {
        var encoded: [UInt8] = []
        for (name, value) in fields {
            if !encoded.isEmpty { encoded.append(UInt8(ascii: "&")) }
            appendFormEncoded(name, to: &encoded)
            encoded.append(UInt8(ascii: "="))
            appendFormEncoded(value, to: &encoded)
        }
        return HTTPBody(
            content: .bytes(encoded),
            contentType: "application/x-www-form-urlencoded"
        )
    }

    /// The serializer of the URL Standard: a space becomes `+`, all but `*-._` and ASCII letters
    /// and digits becomes `%XX`.
    private static func appendFormEncoded(_ text: String, to output: inout [UInt8]) {
        let digits: [UInt8] = Array("0123456789ABCDEF".utf8)
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                output.append(octet)
            case UInt8(ascii: " "):
                output.append(UInt8(ascii: "+"))
            default:
                output.append(UInt8(ascii: "%"))
                output.append(digits[Int(octet >> 4)])
                output.append(digits[Int(octet & 15)])
            }
        }
    }
}
