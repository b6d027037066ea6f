/// Holds one part of a body with several ranges (RFC 9110 §14.6).
public struct ByteRangePart: Hashable, Sendable {
    /// The fields of the part, Content-Range among them.
    public let headers: HTTPHeaders
    /// The positions in the whole representation, both included.
    public let positions: ClosedRange<Int>
    /// The bytes of the whole representation; nil when it is not known.
    public let completeLength: Int?
    /// Where the content is in the body that was taken apart.
    public let content: Range<Int>
}
