internal import SocketTransport

/// The content of a stored response, read in pieces.
package protocol StoredBody: Sendable {
    /// The number of bytes that are delivered.
    var count: Int { get }

    /// Whether ``next()`` may wait for a disk.
    var mayBlock: Bool { get }

    /// Returns the next bytes; empty at the end.
    func next() throws(HTTPError) -> [UInt8]

    /// Takes the next bytes as a part of a file, whose content is verified.
    ///
    /// - Returns: nil at the end, and if the bytes are in no file.
    func nextExtent() -> FileExtent?
}
