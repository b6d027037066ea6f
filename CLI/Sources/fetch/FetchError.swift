/// The reason why a transfer or the whole run fails: an exit code and a message.
package struct FetchError: Error, Sendable, Hashable {
    /// The exit status of the program.
    package let code: ExitCode
    /// The message, in one line and without the program's name.
    package let message: String
    /// The kind of failure, without any text from a peer; nil when the message contains no such text.
    package let label: String?

    package init(_ code: ExitCode, _ message: String, label: String? = nil) {
        self.code = code
        self.message = message
        self.label = label
    }

    /// Creates the error for a command line that is invalid or not supported.
    package static func usage(_ message: String) -> FetchError {
        FetchError(.badUsage, message)
    }
}
