/// Tells what a body decoder found at the front of its input.
public struct BodyStep: Sendable, Hashable {
    /// Bytes at the front of the input that are finished with.
    public var consumed: Int
    /// What they were.
    public var event: BodyEvent

    /// Creates a step of those parts.
    public init(consumed: Int, event: BodyEvent) {
        self.consumed = consumed
        self.event = event
    }
}
