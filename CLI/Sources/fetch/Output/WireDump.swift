internal import Synchronization

/// A dump of sent and received data in the format of curl's `--trace` and `--trace-ascii`.
///
/// The file is opened at the first write, with access for its owner only, because it contains
/// secrets.
final class WireDump: Sendable {
    private enum State {
        case unopened
        case open(Int32)
        /// Writing failed, and nothing more is written.
        case failed
    }

    private let path: String
    private let style: DumpText.Style
    private let console: Console
    private let state = Mutex(State.unopened)

    /// Creates a dump without opening its file.
    ///
    /// - Parameters:
    ///   - path: a file; `-` is standard output and `%` standard error.
    ///   - style: the format of the bytes.
    ///   - console: receives the warning when the file cannot be written.
    init(_ path: String, _ style: DumpText.Style, _ console: Console) {
        self.path = path
        self.style = style
        self.console = console
    }

    /// Writes information about the connection.
    func info(_ text: String) { write("== Info: \(text)\n") }

    /// Writes the head of a request.
    func sent(head: [UInt8]) { write(DumpText.block("=> Send header", head, style)) }

    /// Writes content of a request.
    func sent(content: [UInt8]) {
        guard !content.isEmpty else { return }
        write(DumpText.block("=> Send data", content, style))
    }

    /// Writes the lines of a head, each as its own block.
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
        let reason = state.withLock { state -> String? in
            do throws(SystemError) {
                try SystemFile.write(Array(text.utf8), to: try descriptor(&state))
                return nil
            } catch {
                if case .failed = state { return nil }
                state = .failed
                return error.reason
            }
        }
        if let reason { console.warning("the trace cannot be written to \(path): \(reason)") }
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
