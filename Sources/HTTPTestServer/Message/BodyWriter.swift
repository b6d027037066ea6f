internal import SocketTransport

extension HTTPTestServer {
    /// A writer that sends a streamed body in pieces.
    public struct BodyWriter: Sendable {
        private let connection: LoopBound<ServedConnection>
        private let loop: EventLoop

        init(_ connection: LoopBound<ServedConnection>, on loop: EventLoop) {
            self.connection = connection
            self.loop = loop
        }

        /// Sends one piece; returns when the kernel has accepted all of it.
        ///
        /// - Parameter bytes: the piece; nothing is sent if it is empty.
        /// - Throws: ``ConnectionLostError`` if the client closed the connection or accepted no bytes
        ///   for 30 s, or if the server stops.
        public func write(_ bytes: [UInt8]) async throws(ConnectionLostError) {
            let (connection, loop) = (connection, loop)
            let sent = await withTaskExecutorPreference(loop) {
                await ServedConnection.sendPiece(bytes, on: connection, loop)
            }
            guard sent else { throw ConnectionLostError() }
        }

        /// Sends one piece of text as UTF-8; returns when the kernel has accepted all of it.
        ///
        /// - Throws: the same error as ``write(_:)-([UInt8])``.
        public func write(_ text: String) async throws(ConnectionLostError) {
            try await write(Array(text.utf8))
        }
    }

    /// The error of a streamed body whose connection was lost; no more bytes can be sent.
    public struct ConnectionLostError: Error, Sendable, Hashable {}
}
