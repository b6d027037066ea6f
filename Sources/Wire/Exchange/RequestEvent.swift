/// Names what a server can find in the bytes that a client sends.
public enum RequestEvent: Sendable, Hashable {
    /// Nothing to report before more bytes have come.
    case needMore
    /// The head of a request, and how its body is delimited; never `.untilClose`.
    case head(RequestHead, BodyFraming)
    /// Bytes of body, as a range of the input just given; never empty.
    case body(Range<Int>)
    /// The request is complete; trailers are empty unless the body was chunked.
    case end(trailers: HTTPHeaders)
}
