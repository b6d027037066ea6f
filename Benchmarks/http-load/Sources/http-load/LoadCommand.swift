internal import ArgumentParser

/// The program: `http-load [run] URL` and `http-load merge FILE…`.
@main struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-load",
        abstract:
            "Sends HTTP requests at a rate, or as fast as the server answers, and reports the latencies.",
        discussion: """
            With --rate the load is open: each request is due at its own time, and its latency is counted from then, \
            also if it had to wait for a connection. A server that stalls is thus charged for every request that \
            it delayed. Without --rate the load is closed: each connection sends its next request when \
            its last one is answered.

            The exit code is 0 if all requirements are met, 1 if one is not, and 64 for a wrong command line.
            """,
        subcommands: [RunCommand.self, MergeCommand.self],
        defaultSubcommand: RunCommand.self
    )
}
