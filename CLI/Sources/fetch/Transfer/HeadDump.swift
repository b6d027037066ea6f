/// Writes the heads of all transfers of a call to the file of `--dump-header`.
final class HeadDump {
    private let path: String
    private var destination: Destination?

    /// Makes a dump; opens nothing.
    init(_ path: String) {
        self.path = path
    }

    /// Makes the file, before the transfer begins: once for all transfers.
    func open() throws(FetchError) {
        guard destination == nil else { return }
        let made = Destination(path)
        try made.open()
        destination = made
    }

    /// Writes a head as it was received.
    func write(_ bytes: [UInt8]) throws(FetchError) {
        try destination?.write(bytes)
    }

    /// Ends the dump.
    func finish() throws(FetchError) {
        try destination?.finish()
    }
}
