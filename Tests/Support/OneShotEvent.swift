internal import Glibc

/// An event that happens once and can be waited for with poll(2).
final class OneShotEvent: Sendable {
    /// The descriptor, which becomes and stays readable when the event is signaled.
    let descriptor: Int32
    private let sender: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let code = unsafe socketpair(AF_UNIX, kind, 0, &ends)
        precondition(code == 0, "no descriptor left for a test server")
        (descriptor, sender) = (ends[0], ends[1])
    }

    func signal() {
        shutdown(sender, Int32(SHUT_WR))
    }

    /// Blocks the calling thread until the event is signaled.
    func wait() {
        var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // It can only fail because of a signal.
        while unsafe poll(&wish, 1, -1) < 1 {}
    }

    deinit {
        close(descriptor)
        close(sender)
    }
}
