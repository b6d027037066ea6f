internal import ArgumentParser

/// The options for bodies that are streams of lines or events.
struct StreamOptions: ParsableArguments {
    @Flag(
        help: """
            Print the data of server-sent events as they arrive, one event per line; reconnect a GET \
            when the connection ends.
            """
    )
    var sse = false

    @Flag(help: "Write the body line by line, as text that ends with LF.")
    var lines = false

    /// The kind of stream; nil for a body that is written unchanged.
    var content: StreamContent? {
        if sse { return .events }
        return lines ? .lines : nil
    }

    func validate() throws {
        if sse, lines { throw ValidationError("choose --sse or --lines") }
    }
}

/// The kind of records that a body is split into.
enum StreamContent: Sendable {
    case lines
    case events
}
