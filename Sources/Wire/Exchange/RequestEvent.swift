/// An event that a server finds in the bytes of a client.
public enum RequestEvent: Sendable, Hashable {
    /// More bytes are needed before the next event.
    case needMore
    /// The head of a request, and the framing of its body, which is never `.untilClose`.
    case head(RequestHead, BodyFraming)
    /// Bytes of the body, as a non-empty range of the current input.
    case body(Range<Int>)
    /// The request is complete.
    ///
    /// Trailers are empty unless the body was chunked.
    case end(trailers: HTTPHeaders)
}
