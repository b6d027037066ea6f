/// Speaks to the person at the terminal, on standard error.
struct Console: Sendable {
    /// Whether errors are shown.
    let showsErrors: Bool
    /// Whether warnings are shown.
    let showsWarnings: Bool
    /// Whether the exchange is shown.
    let isVerbose: Bool

    /// Prints what ended a transfer, with its code.
    func error(_ failure: Failure) {
        guard showsErrors else { return }
        print("fetch: (\(failure.code.number)) \(failure.message)\n")
    }

    /// Prints something that does not end the transfer.
    func warning(_ text: String) {
        guard showsWarnings else { return }
        print("Warning: \(text)\n")
    }

    /// Prints a fact of the connection.
    func fact(_ text: @autoclosure () -> String) {
        guard isVerbose else { return }
        print("* \(text())\n")
    }

    /// Prints lines that went out or came in, each behind a mark.
    func lines(_ mark: String, _ bytes: @autoclosure () -> [UInt8]) {
        guard isVerbose else { return }
        var output: [UInt8] = []
        for line in bytes().split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
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
