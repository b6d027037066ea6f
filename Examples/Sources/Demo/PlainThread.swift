import Glibc

/// A thread outside Swift concurrency, such as one that a C library creates.
enum PlainThread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body: body))
        let code = pthread_create(
            &thread,
            nil,
            { raw in
                if let raw = raw {
                    Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
                }
                return nil
            },
            box.toOpaque()
        )
        guard code == 0 else {
            box.release()
            body()
            return
        }
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
