/// A scope that forwards a cancellation to the current wait of one operation.
///
/// Loop-confined, so the runtime's checks for overlapping accesses are disabled.
///
/// The operation enters each of its waits. ``cancel()`` ends the current wait and all later ones.
package final class CancellationScope {
    @safe @exclusivity(unchecked) package private(set) var isCancelled = false
    @safe @exclusivity(unchecked) private var current: (any CancellableWait)?

    package init() {}

    /// Registers `wait` as the one that a cancellation ends; replaces the previous one.
    ///
    /// - Throws: `.cancelled` if the operation is already cancelled.
    package func enter(_ wait: any CancellableWait) throws(TransportError) {
        guard !isCancelled else { throw .cancelled }
        current = wait
    }

    /// Removes the current wait, so that a later cancellation does not end it.
    package func leave() {
        current = nil
    }

    /// Cancels the operation; idempotent.
    package func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        let wait = current.take()
        wait?.cancelWait()
    }
}
