/// The result of one call of ``ServerExchange/receive(_:)``.
public struct RequestStep: Sendable, Hashable {
    /// The number of bytes at the front of the input that the exchange is done with.
    ///
    /// It may exceed the end of a `.body` range, because framing bytes are consumed too.
    public var consumed: Int
    /// The event that the bytes produced.
    public var event: RequestEvent

    /// Creates a step.
    public init(consumed: Int, event: RequestEvent) {
        self.consumed = consumed
        self.event = event
    }
}
