/// Says why a transfer, or the whole call, is given up: a code for the shell and a line for people.
package struct FetchError: Error, Sendable, Hashable {
    /// What the program ends with.
    package let code: ExitCode
    /// One line without the program's name.
    package let message: String
    /// What kind of failure it is, without anything that a peer said; nil when the message has no such
    /// thing either.
    package let label: String?

    package init(_ code: ExitCode, _ message: String, label: String? = nil) {
        self.code = code
        self.message = message
        self.label = label
    }

    /// The command line cannot be understood or is not supported.
    package static func usage(_ message: String) -> FetchError {
        FetchError(.badUsage, message)
    }
}
