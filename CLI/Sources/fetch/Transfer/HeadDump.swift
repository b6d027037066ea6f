/// The file of `--dump-header`, with the heads of all transfers.
final class HeadDump {
    private let path: String
    private var destination: Destination?

    /// Creates a dump without opening its file.
    init(_ path: String) {
        self.path = path
    }

    /// Creates the file before the first transfer; later calls do nothing.
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

    /// Closes the file.
    func finish() throws(FetchError) {
        try destination?.finish()
    }
}
