/// Names what a body decoder can find.
public enum BodyEvent: Sendable, Hashable {
    /// Nothing to report before more bytes have come.
    case needMore
    /// Bytes of the body, as a range of the input just given; never empty.
    case body(Range<Int>)
    /// The body is complete; trailers are empty unless it was chunked.
    case end(trailers: HTTPHeaders)
}
