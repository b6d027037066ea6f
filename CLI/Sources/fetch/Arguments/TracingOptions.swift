internal import ArgumentParser

/// The options for reports about transfers.
struct TracingOptions: ParsableArguments {
    @Option(
        help: """
            Write heads and content to this file, in hexadecimal and with secrets, in curl's format; - for \
            stdout, % for stderr. Content is written without chunk lines and content codings; that of \
            redirects, challenges and streamed uploads is left out.
            """
    )
    var trace: String?

    @Option(help: "Write the same to this file, as text.")
    var traceAscii: String?

    @Flag(help: "Show on standard error when each step of each attempt happened.")
    var timeline = false

    @Option(help: "Write the same to this file, as JSON: an array with an object per attempt.")
    var timelineJson: String?

    @Option(
        help: """
            Write requests and responses without bodies to this file, as HAR 1.2; secrets are \
            hidden without --show-secrets.
            """
    )
    var har: String?

    /// Returns the dumps that the user asked for.
    ///
    /// - Parameter console: receives their error messages.
    /// - Returns: none, one or both.
    func dumps(_ console: Console) -> [WireDump] {
        let wanted: [(String?, DumpText.Style)] = [(trace, .hexadecimal), (traceAscii, .text)]
        return wanted.compactMap { path, style in
            path.map { WireDump($0, style, console) }
        }
    }
}
