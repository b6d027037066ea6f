internal import ArgumentParser

/// Holds the options about what is told of transfers.
struct TracingOptions: ParsableArguments {
    @Flag(help: "Show on standard error when each step of each attempt happened.")
    var trace = false

    @Option(help: "Write the same to this file, as JSON: an array with an object for each try.")
    var traceJson: String?

    @Option(
        help: """
            Write requests and responses without bodies to this file, as HAR 1.2; secrets are \
            hidden without --show-secrets.
            """
    )
    var har: String?
}
