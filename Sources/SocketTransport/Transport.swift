// Transport: bytes, time and trust. It knows no HTTP.
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
// Threads. All state of a connection belongs to one event loop and is touched on that loop's
// thread alone: no locks, no atomics, no copies. A loop is driven by a thread of its own
// (`EventLoop.threaded()`), or by whichever thread calls `drive` (`EventLoop.callerDriven()`), which
// is how the blocking API runs the very same code. From other threads there are exactly two doors:
// `enqueue`, which Swift's runtime uses for jobs that prefer the loop, and `post`.
//
// Descriptors. `Descriptor` owns one and closes it once, in `deinit`. Every descriptor is
// close-on-exec and non-blocking from birth. Nothing here can raise SIGPIPE.
//
// Blocking. Nothing on a loop may block, with one exception outside it: getaddrinfo, which has no
// other form, runs on threads of the `GetaddrinfoResolver`.
