/// A container that carries a loop-confined value across threads without accessing it.
package struct LoopBound<Value>: @unchecked Sendable {
    // Sendable because `value` is accessible only on the loop's thread.
    private let confined: Value
    private let loop: EventLoop

    package init(_ value: Value, on loop: EventLoop) {
        confined = value
        self.loop = loop
    }

    /// The value; use it only on the loop's thread.
    package var value: Value {
        assert(loop.isCurrent, "a loop-confined value was accessed outside its loop")
        return confined
    }
}
