/// The result of a decoder call that can return several pieces of content.
public struct BodyBatch: Sendable, Hashable {
    /// The number of bytes at the front of the input that the decoder is done with.
    public var consumed: Int
    /// The reason why the call returned.
    public var state: State

    /// The reason why a decoder call returned.
    public enum State: Sendable, Hashable {
        /// More input is needed.
        ///
        /// All input was consumed, except for an incomplete trailer section.
        case needMore
        /// More output space is needed: content follows, and the output is full.
        case outputFull
        /// The body is complete.
        ///
        /// Trailers are empty unless the body was chunked.
        case end(trailers: HTTPHeaders)
    }

    /// Creates a batch.
    public init(consumed: Int, state: State) {
        self.consumed = consumed
        self.state = state
    }
}
