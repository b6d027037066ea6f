internal import Synchronization

/// Writes what is sent and received to a file, in the form of curl's `--trace` and `--trace-ascii`.
///
/// The file is opened when there is something to write, for its owner alone: secrets are in it.
final class WireDump: Sendable {
    private enum State {
        case unopened
        case open(Int32)
        /// Nothing more is written.
        case failed
    }

    private let path: String
    private let style: DumpText.Style
    private let console: Console
    private let state = Mutex(State.unopened)

    /// Makes a dump; opens nothing.
    ///
    /// - Parameters:
    ///   - path: a file; `-` is standard output and `%` standard error.
    ///   - style: how bytes are shown.
    ///   - console: takes the complaint when the file cannot be written.
    init(_ path: String, _ style: DumpText.Style, _ console: Console) {
        self.path = path
        self.style = style
        self.console = console
    }

    /// Writes a fact of the connection.
    func info(_ text: String) { write("== Info: \(text)\n") }

    /// Writes the head of a request.
    func sent(head: [UInt8]) { write(DumpText.block("=> Send header", head, style)) }

    /// Writes content of a request.
    func sent(content: [UInt8]) {
        guard !content.isEmpty else { return }
        write(DumpText.block("=> Send data", content, style))
    }

    /// Writes lines of a head, each by itself.
    func received(head: [UInt8]) {
        for line in DumpText.lines(of: head) {
            write(DumpText.block("<= Recv header", line, style))
        }
    }

    /// Writes content of a response.
    func received(content: [UInt8]) {
        write(DumpText.block("<= Recv data", content, style))
    }

    private func write(_ text: String) {
        let problem = state.withLock { state -> String? in
            do throws(SystemError) {
                try SystemFile.write(Array(text.utf8), to: try descriptor(&state))
                return nil
            } catch {
                if case .failed = state { return nil }
                state = .failed
                return error.reason
            }
        }
        if let problem { console.warning("the trace cannot be written to \(path): \(problem)") }
    }

    private func descriptor(_ state: inout State) throws(SystemError) -> Int32 {
        switch state {
        case .open(let descriptor): return descriptor
        case .failed: throw SystemError()
        case .unopened:
            let descriptor: Int32
            switch path {
            case "-": descriptor = SystemFile.output
            case "%": descriptor = SystemFile.errors
            default:
                descriptor = try SystemFile.create(path, mode: 0o600)
                try SystemFile.makePrivate(descriptor)
            }
            state = .open(descriptor)
            return descriptor
        }
    }
}
