/// Carries a loop-confined value across threads without touching it.
package struct LoopBound<Value>: @unchecked Sendable {
    // Sendable because `value` can be reached only on the loop's thread.
    // Not private, so that other modules' code for one `Value` needs no generic one; use `value`.
    package let confined: Value
    package let loop: EventLoop

    @inlinable package init(_ value: Value, on loop: EventLoop) {
        confined = value
        self.loop = loop
    }

    /// The value; only on the loop's thread.
    @inlinable package var value: Value {
        assert(loop.isCurrent, "a loop-confined value was touched off its loop")
        return confined
    }
}
