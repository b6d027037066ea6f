/// Tells how far a body decoder came that took several pieces of content in one call.
public struct BodyBatch: Sendable, Hashable {
    /// Bytes at the front of the input that are finished with.
    public var consumed: Int
    /// Why the call came back.
    public var state: State

    /// Names what a decoder of several pieces waits for.
    public enum State: Sendable, Hashable {
        /// More bytes: the input is used up, but for a trailer section that is not complete.
        case needMore
        /// More room: content follows, and the output is full.
        case outputFull
        /// The body is complete; trailers are empty unless it was chunked.
        case end(trailers: HTTPHeaders)
    }

    /// Creates a batch of those parts.
    public init(consumed: Int, state: State) {
        self.consumed = consumed
        self.state = state
    }
}
