/// Names a content coding that we can undo (RFC 9110 §8.4.1).
public enum ContentCoding: Sendable, Hashable {
    /// `gzip`, or `x-gzip` as old senders call it (RFC 1952).
    case gzip
    /// `deflate`: the zlib format (RFC 1950), or bare deflate data (RFC 1951) from senders that took the name literally.
    case deflate
    /// `identity`: no coding.
    case identity

    /// Recognises a name, without ASCII case; nil when the coding is unknown.
    ///
    /// `none` stands for `identity`: some servers send it, and curl reads it so.
    public init?(_ name: String) {
        switch ByteClass.lowercase(name) {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "identity", "none": self = .identity
        default: return nil
        }
    }

    /// Value of Accept-Encoding that offers what ``ContentDecoder`` undoes, the better one first.
    public static let acceptEncoding = "gzip, deflate"

    /// Lists the codings that Content-Encoding names, in the order they were applied.
    ///
    /// - Returns: nil when one of them is unknown: the content cannot be decoded. Empty when there is
    ///   nothing to undo; `identity` is left out.
    public static func applied(in headers: HTTPHeaders) -> [ContentCoding]? {
        guard let value = headers.combined(.contentEncoding) else { return [] }
        var codings: [ContentCoding] = []
        for name in ListSyntax.elements(of: value) {
            guard let coding = ContentCoding(name) else { return nil }
            if coding != .identity { codings.append(coding) }
        }
        return codings
    }
}
