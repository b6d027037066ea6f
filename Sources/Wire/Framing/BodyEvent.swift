/// An event that a body decoder reports.
public enum BodyEvent: Sendable, Hashable {
    /// More bytes are needed before the next event.
    case needMore
    /// Bytes of the body, as a non-empty range of the current input.
    case body(Range<Int>)
    /// The body is complete.
    ///
    /// Trailers are empty unless the body was chunked.
    case end(trailers: HTTPHeaders)
}
