internal import HTTPClient

/// Speaks to the person at the terminal, on standard error.
struct Console: Sendable {
    /// Whether errors are shown.
    let showsErrors: Bool
    /// Whether warnings are shown.
    let showsWarnings: Bool
    /// Whether the exchange is shown.
    let isVerbose: Bool
    /// Where the exchange is written besides.
    var dumps: [WireDump] = []

    /// Whether the exchange is shown or written.
    var showsExchange: Bool { isVerbose || !dumps.isEmpty }

    /// Prints what ended a transfer, with its code.
    func error(_ failure: FetchError) {
        guard showsErrors else { return }
        print("fetch: (\(failure.code.number)) \(failure.message)\n")
    }

    /// Prints something that does not end the transfer.
    func warning(_ text: String) {
        guard showsWarnings else { return }
        print("Warning: \(text)\n")
    }

    /// Prints rules that a response broke, one a line; also when silent, for the caller asked.
    func deviations(_ deviations: some Sequence<HTTPDeviation>) {
        for deviation in deviations { print("Deviation: \(deviation.code): \(deviation)\n") }
    }

    /// Prints a fact of the connection.
    func info(_ text: @autoclosure () -> String) {
        guard showsExchange else { return }
        let text = text()
        if isVerbose { print("* \(text)\n") }
        for dump in dumps { dump.info(text) }
    }

    /// Prints a head that went out, and writes the content behind it to the dumps.
    func sent(head: @autoclosure () -> [UInt8], content: @autoclosure () -> [UInt8]) {
        guard showsExchange else { return }
        let head = head()
        if isVerbose { printLines(">", head) }
        for dump in dumps {
            dump.sent(head: head)
            dump.sent(content: content())
        }
    }

    /// Prints lines of a head that came in.
    func received(head: @autoclosure () -> [UInt8]) {
        guard showsExchange else { return }
        let head = head()
        if isVerbose { printLines("<", head) }
        for dump in dumps { dump.received(head: head) }
    }

    /// Writes content that came in to the dumps.
    func received(content: [UInt8]) {
        for dump in dumps { dump.received(content: content) }
    }

    /// Prints lines, each behind a mark.
    private func printLines(_ mark: String, _ bytes: [UInt8]) {
        var output: [UInt8] = []
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            output += Array(mark.utf8) + [UInt8(ascii: " ")] + line.filter { $0 != 0x0D } + [0x0A]
        }
        write(output)
    }

    /// Prints text as it is.
    func print(_ text: String) {
        write(Array(text.utf8))
    }

    /// Nobody can be told that standard error is closed.
    private func write(_ bytes: [UInt8]) {
        try? SystemFile.write(bytes, to: SystemFile.errors)
    }
}
