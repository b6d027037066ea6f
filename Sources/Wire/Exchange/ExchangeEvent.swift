/// Names what a client can find in the bytes that a server sends.
public enum ExchangeEvent: Sendable, Hashable {
    /// Nothing to report before more bytes have come.
    case needMore
    /// An interim response, 100 or 102 to 199; others and the final one are still to come (RFC 9110 §15.2).
    case informational(ResponseHead)
    /// The head of the final response, 101 included, and how its body is delimited.
    case head(ResponseHead, BodyFraming)
    /// Bytes of body, as a range of the input just given; never empty.
    case body(Range<Int>)
    /// The response is complete; trailers are empty unless the body was chunked.
    case end(trailers: HTTPHeaders)
}
