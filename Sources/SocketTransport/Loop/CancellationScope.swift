/// Leads a cancellation to whatever one operation is waiting for at the moment.
///
/// Loop-confined, and therefore exempt from the runtime's search for overlapping accesses.
///
/// The operation enters each wait here; ``cancel()`` ends the present one and all later ones.
package final class CancellationScope {
    @safe @exclusivity(unchecked) package private(set) var isCancelled = false
    @safe @exclusivity(unchecked) private var current: (any CancellableWait)?

    package init() {}

    /// Makes `wait` the one that a cancellation ends; replaces the one before.
    ///
    /// - Throws: `.cancelled` when the operation has been cancelled already.
    package func enter(_ wait: any CancellableWait) throws(TransportError) {
        guard !isCancelled else { throw .cancelled }
        current = wait
    }

    /// Says that nothing is waited for now, so that a late cancellation harms no one.
    package func leave() {
        current = nil
    }

    /// Cancels; idempotent.
    package func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        let wait = current.take()
        wait?.cancelWait()
    }
}
