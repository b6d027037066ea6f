// Transport: bytes, time and trust. It has no knowledge of HTTP. The prefix HTTP of its public values is that of the
// package: `HTTPClient` exports them, and a bare name such as `Certificate` could collide with another package's.
//
//                 ByteStream  (receive · send · flush · wait · close)
//                  /        \
//         SocketStream     TLSStream ── TLSEngine (OpenSSL over memory BIOs; no I/O of its own)
//               |              |
//               |              └── runs over any other ByteStream
//          Descriptor
//               |
//           EventLoop ── Poller (epoll) · TimerQueue (heap) · jobs (it is a TaskExecutor)
//
// Threads. All state of a connection belongs to one event loop and is used only on that loop's
// thread: no locks, no atomics, no copies. A loop is driven by its own thread
// (`EventLoop.threaded()`), or by any thread that calls `drive` (`EventLoop.callerDriven()`). The
// blocking API uses the second form to run the same code. Other threads reach a loop in exactly two
// ways: `enqueue`, which Swift's runtime uses for jobs that prefer the loop, and `post`.
//
// Descriptors. `Descriptor` owns one descriptor and closes it once, in `deinit`. Every descriptor
// is created close-on-exec and non-blocking. No code here can raise SIGPIPE.
//
// Layers, the highest first. A folder uses only the folders below it (`LayerRuleTests`).
//
//     TLS           settings, engine and stream of TLS connections, on OpenSSL
//     Connect       lookup of hosts, and connecting to one of their addresses; on the same level as TLS
//     Socket        byte streams and sockets
//     Loop          event loops, timers, waiting and cancellation, locks
//     Errors        the errors of this module
//     Certificates  certificates, keys, PEM and pins
//     Files         reading and writing files; on the same level as Certificates
//     System        system calls, addresses, deadlines, environment variables
//
// Blocking. Code on a loop must never block. getaddrinfo has no non-blocking form, so it runs on
// the threads of the `GetaddrinfoResolver`.
