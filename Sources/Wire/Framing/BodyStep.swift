/// The result of one decoder call.
public struct BodyStep: Sendable, Hashable {
    /// The number of bytes at the front of the input that the decoder is done with.
    public var consumed: Int
    /// The event that the bytes produced.
    public var event: BodyEvent

    /// Creates a step.
    public init(consumed: Int, event: BodyEvent) {
        self.consumed = consumed
        self.event = event
    }
}
