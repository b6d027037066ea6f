internal import Glibc

/// Password prompts on the terminal of the process.
enum SystemTerminal {
    /// Prints a prompt on the terminal and reads a line without echo.
    ///
    /// Signals that end or stop the process are blocked while the echo is off. They are delivered
    /// when it is on again.
    ///
    /// - Returns: the bytes of the line; nil when the process has no terminal.
    static func readPassword(_ prompt: String) throws(SystemError) -> [UInt8]? {
        // SAFETY: the text lives for the call.
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { _ = Glibc.close(terminal) }
        // A signal that stopped the process, or was ignored, interrupts an attempt.
        while true {
            if let line = try readHiddenLine(from: terminal, prompt) { return line }
        }
    }

    /// - Returns: nil when a signal arrived before the line was complete; it has been delivered by then.
    private static func readHiddenLine(
        from terminal: Int32,
        _ prompt: String
    ) throws(SystemError) -> [UInt8]? {
        var blocked = sigset_t()
        var before = sigset_t()
        // SAFETY: each pointer is to a local and used only within its call, here and in the calls
        // below.
        unsafe sigemptyset(&blocked)
        for signal in endingSignals { unsafe sigaddset(&blocked, signal) }
        guard unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0 else { throw SystemError() }
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var visible = termios()
        guard unsafe tcgetattr(terminal, &visible) == 0 else { throw SystemError() }
        var hidden = visible
        hidden.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(terminal, TCSAFLUSH, &hidden) == 0 else { throw SystemError() }
        // This runs before the signals are unblocked.
        defer { _ = unsafe tcsetattr(terminal, TCSAFLUSH, &visible) }
        try SystemFile.write(Array(prompt.utf8), to: terminal)
        var line: [UInt8] = []
        while true {
            var wish = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wish, 1, 100)
            if hasPendingSignal() {
                try SystemFile.write([0x0A], to: terminal)
                return nil
            }
            guard ready > 0 else { continue }
            let piece = try SystemFile.readPiece(terminal)
            line += piece
            guard piece.isEmpty || piece.last == 0x0A else { continue }
            // Without echo, the Enter key does not move the cursor.
            try SystemFile.write([0x0A], to: terminal)
            return line.last == 0x0A ? line.dropLast() : line
        }
    }

    private static let endingSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    private static func hasPendingSignal() -> Bool {
        var pending = sigset_t()
        // SAFETY: as above.
        guard unsafe sigpending(&pending) == 0 else { return false }
        return endingSignals.contains { unsafe sigismember(&pending, $0) == 1 }
    }
}
