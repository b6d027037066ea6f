import Glibc

/// Runs a closure on a plain thread, where blocking is allowed.
enum BlockingThread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Box(body: body))
        let code = unsafe pthread_create(
            &thread,
            nil,
            { raw in
                // SAFETY: `raw` is the box retained above, taken exactly once.
                if let raw = unsafe raw {
                    unsafe Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
                }
                return nil
            },
            box.toOpaque()
        )
        precondition(code == 0, "no thread for a test")
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
