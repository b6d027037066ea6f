/// The content of a stored response, read in pieces.
protocol StoredBody: Sendable {
    /// The number of bytes that are delivered.
    var count: Int { get }

    /// Whether ``next()`` may wait for a disk.
    var mayBlock: Bool { get }

    /// Returns the next bytes; empty at the end.
    func next() throws(HTTPError) -> [UInt8]
}
