internal import Glibc
internal import SocketTransport

/// A program started by a test, which ends with the test process even after a crash.
///
/// A shell starts the program and waits for the end of its own standard input, which only this
/// process holds open. Then it ends the program by its process id.
package final class ChildProcess: Sendable {
    private let shell: pid_t
    private let state: Locked<State>

    private struct State {
        /// This process's end of the shell's input; nil after it was closed.
        var lifeline: Int32?
        var exitStatus: Int32?
    }

    /// - Parameters:
    ///   - arguments: the program's path and its arguments.
    ///   - output: the file for the program's standard output and standard error.
    package init(_ arguments: [String], output: String) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw SystemError("socketpair")
        }
        let (inner, outer) = (ends[0], ends[1])
        defer { close(inner) }

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, inner, 0)
        unsafe posix_spawn_file_actions_addopen(
            &actions,
            1,
            output,
            O_WRONLY | O_CREAT | O_APPEND,
            0o600
        )
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)

        // Threads of the concurrency pool block signals, and a child inherits that.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        // The watcher ends the program when this process closes its end of the socket. `wait` ends
        // the shell as soon as the program ends, with the program's status.
        let watch = #"""
            exec 3<&0
            "$@" </dev/null 3<&- &
            program=$!
            { cat <&3 >/dev/null; kill "$program" 2>/dev/null; } &
            watcher=$!
            exec 3<&-
            wait "$program"
            status=$?
            kill "$watcher" 2>/dev/null
            exit "$status"
            """#
        let words = ["/bin/sh", "-c", watch, "sh"] + arguments
        var copies = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        var child = pid_t()
        let code = SpawnLock.spawning {
            unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, &copies, environ)
        }
        guard code == 0 else {
            close(outer)
            throw SystemError(text: "posix_spawn: \(code)")
        }
        shell = child
        state = Locked(State(lifeline: outer))
    }

    /// The exit status if the program has exited; nil while it runs.
    package var exitStatus: Int32? { reap(WNOHANG) }

    /// Waits without a limit until the program has exited.
    package func wait() -> Int32 { reap(0) ?? -1 }

    /// Tries for up to 10 seconds to connect; returns false as soon as the program has exited.
    func accepts(_ port: Int) -> Bool {
        for _ in 0..<2000 {
            if exitStatus != nil { return false }
            if let descriptor = TestSocket.connect(port: port) {
                close(descriptor)
                return true
            }
            usleep(5000)
        }
        return false
    }

    /// Ends the program and waits for it. Idempotent.
    package func stop() {
        state.withLock { state in
            if let lifeline = state.lifeline { close(lifeline) }
            state.lifeline = nil
        }
        _ = reap(0)
    }

    deinit {
        stop()
    }

    private func reap(_ options: Int32) -> Int32? {
        state.withLock { state in
            if let known = state.exitStatus { return known }
            var raw: Int32 = 0
            guard unsafe waitpid(shell, &raw, options) == shell else { return nil }
            state.exitStatus = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f)
            return state.exitStatus
        }
    }
}
