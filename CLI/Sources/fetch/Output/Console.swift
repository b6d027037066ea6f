internal import HTTPClient

/// Messages for the user, on standard error.
struct Console: Sendable {
    /// Whether errors are shown.
    let showsErrors: Bool
    /// Whether warnings are shown.
    let showsWarnings: Bool
    /// Whether the request and response heads are shown.
    let isVerbose: Bool
    /// The files that the exchange is also written to.
    var dumps: [WireDump] = []

    /// Whether the exchange is shown or written to a file.
    var showsExchange: Bool { isVerbose || !dumps.isEmpty }

    /// Prints the error that ended a transfer, with its code.
    func error(_ failure: FetchError) {
        guard showsErrors else { return }
        print("fetch: (\(failure.code.number)) \(failure.message)\n")
    }

    /// Prints a message that does not end the transfer.
    func warning(_ text: String) {
        guard showsWarnings else { return }
        print("Warning: \(MessageText.line(text))\n")
    }

    /// Prints the rules that a response broke, one per line.
    ///
    /// They are printed even with `--silent`, because the user asked for them.
    func deviations(_ deviations: some Sequence<HTTPResponse.Deviation>) {
        for deviation in deviations { print("Deviation: \(deviation.code): \(deviation)\n") }
    }

    /// Prints information about the connection.
    func info(_ text: @autoclosure () -> String) {
        guard showsExchange else { return }
        let text = MessageText.line(text())
        if isVerbose { print("* \(text)\n") }
        for dump in dumps { dump.info(text) }
    }

    /// Prints the head of a sent request, and writes its content to the dumps.
    func sent(head: @autoclosure () -> [UInt8], content: @autoclosure () -> [UInt8]) {
        guard showsExchange else { return }
        let head = head()
        if isVerbose { printLines(">", head) }
        for dump in dumps {
            dump.sent(head: head)
            dump.sent(content: content())
        }
    }

    /// Prints lines of a received head.
    func received(head: @autoclosure () -> [UInt8]) {
        guard showsExchange else { return }
        let head = head()
        if isVerbose { printLines("<", head) }
        for dump in dumps { dump.received(head: head) }
    }

    /// Writes received content to the dumps.
    func received(content: [UInt8]) {
        for dump in dumps { dump.received(content: content) }
    }

    /// Prints lines, each after a prefix.
    private func printLines(_ mark: String, _ bytes: [UInt8]) {
        var output: [UInt8] = []
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            output += Array(mark.utf8) + [UInt8(ascii: " ")] + line.filter { $0 != 0x0D } + [0x0A]
        }
        write(output)
    }

    /// Prints text unchanged.
    func print(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes bytes.
    ///
    /// Errors are ignored, because a closed standard error cannot be reported.
    private func write(_ bytes: [UInt8]) {
        try? SystemFile.write(bytes, to: SystemFile.errors)
    }
}
