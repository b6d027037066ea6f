internal import ArgumentParser

/// The options for reports about transfers.
struct TracingOptions: ParsableArguments {
    @Option(
        help: """
            Write heads and content to this file, in hexadecimal and with secrets, in curl's format; \
            "-" is standard output, "%" standard error. Content is written without chunk lines and \
            content codings. The content of redirects, challenges and streamed uploads is left out.
            """
    )
    var trace: String?

    @Option(help: "Like --trace, but as text.")
    var traceAscii: String?

    @Flag(help: "Print the times of the steps of each attempt on standard error.")
    var timeline = false

    @Option(help: "Write the timeline to this file as JSON: an array of transfers.")
    var timelineJson: String?

    @Option(
        help: """
            Write requests and responses without bodies to this file, as HAR 1.2; secrets are \
            redacted unless --show-secrets is used.
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
