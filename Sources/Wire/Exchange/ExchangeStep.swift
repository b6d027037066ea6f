/// Tells what one call of ``MessageExchange/receive(_:)`` found.
public struct ExchangeStep: Sendable, Hashable {
    /// Bytes at the front of the input that are finished with.
    ///
    /// May exceed the end of a `.body` range: what lies between was framing.
    public var consumed: Int
    /// What they were.
    public var event: ExchangeEvent

    /// Creates a step of those parts.
    public init(consumed: Int, event: ExchangeEvent) {
        self.consumed = consumed
        self.event = event
    }
}
