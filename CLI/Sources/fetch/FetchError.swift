/// The reason why a transfer or the whole run fails: an exit code and a message.
package struct FetchError: Error, Sendable, Hashable {
    /// The exit status of the program.
    package let code: ExitCode
    /// The message without the program's name: one line, or three lines if it marks a byte of an argument.
    package let message: String
    /// The kind of failure, without any text from a peer; nil when the message contains no such text.
    package let label: String?

    /// Creates an error whose message is one line: line breaks and control characters in it are escaped.
    package init(_ code: ExitCode, _ message: String, label: String? = nil) {
        self.code = code
        self.message = MessageText.line(message)
        self.label = label
    }

    /// Creates an error that shows an argument below the message, with a mark below one of its bytes.
    package init(_ code: ExitCode, _ message: String, marking index: Int, of argument: String) {
        let start = String(decoding: argument.utf8.prefix(index), as: UTF8.self)
        let mark = String(repeating: " ", count: MessageText.line(start).unicodeScalars.count) + "^"
        self.code = code
        self.message = [message, argument, mark].map { MessageText.line($0) }.joined(
            separator: "\n"
        )
        self.label = nil
    }

    /// Creates the error for a command line that is invalid or not supported.
    package static func usage(_ message: String) -> FetchError {
        FetchError(.badUsage, message)
    }
}
