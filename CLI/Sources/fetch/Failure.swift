/// Says why a transfer, or the whole call, is given up: a code for the shell and a line for people.
package struct Failure: Error, Sendable, Hashable {
    /// What the program ends with.
    package let code: ExitCode
    /// One line without the program's name.
    package let message: String

    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The command line cannot be understood or is not supported.
    package static func usage(_ message: String) -> Failure {
        Failure(.badUsage, message)
    }
}
