internal import Glibc

/// A thread outside the concurrency pool that runs a closure, which may block.
package struct WorkerThread: Sendable {
    private let handle: pthread_t

    package init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var handle = pthread_t()
        let box = unsafe Unmanaged.passRetained(Body(run: body))
        let code = unsafe pthread_create(
            &handle,
            nil,
            { raw in
                // SAFETY: `raw` is the box retained above, taken exactly once.
                if let raw = unsafe raw {
                    unsafe Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
                }
                return nil
            },
            box.toOpaque()
        )
        guard code == 0 else {
            unsafe box.release()
            throw SystemError(text: "pthread_create: \(code)")
        }
        self.handle = handle
    }

    /// Waits for the end of the thread; call it exactly once.
    package func join() {
        _ = pthread_join(handle, nil)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
