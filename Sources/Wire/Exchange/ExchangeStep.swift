/// The result of one call of ``MessageExchange/receive(_:)``.
public struct ExchangeStep: Sendable, Hashable {
    /// The number of bytes at the front of the input that the exchange is done with.
    ///
    /// It may exceed the end of a `.body` range, because framing bytes are consumed too.
    public var consumed: Int
    /// The event that the bytes produced.
    public var event: ExchangeEvent

    /// Creates a step.
    public init(consumed: Int, event: ExchangeEvent) {
        self.consumed = consumed
        self.event = event
    }
}
