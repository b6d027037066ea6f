/// One part of a body with several ranges (RFC 9110 §14.6).
public struct ByteRangePart: Hashable, Sendable {
    /// The header fields of the part, including Content-Range.
    public let headers: HTTPHeaders
    /// The positions within the whole representation, both inclusive.
    public let positions: ClosedRange<Int>
    /// The size of the whole representation in bytes, or nil if it is unknown.
    public let completeLength: Int?
    /// The position of the part's content within the parsed body.
    public let content: Range<Int>
}
