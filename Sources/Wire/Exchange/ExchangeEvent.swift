/// An event that a client finds in the bytes of a server.
public enum ExchangeEvent: Sendable, Hashable {
    /// More bytes are needed before the next event.
    case needMore
    /// An interim response, 100 or 102 to 199.
    ///
    /// The final response is still to come, possibly after more interim ones (RFC 9110 §15.2).
    case informational(ResponseHead)
    /// The head of the final response, or of a 101, and the framing of its body.
    case head(ResponseHead, BodyFraming)
    /// Bytes of the body, as a non-empty range of the current input.
    case body(Range<Int>)
    /// The response is complete.
    ///
    /// Trailers are empty unless the body was chunked.
    case end(trailers: HTTPHeaders)
}
