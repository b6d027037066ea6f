internal import SocketTransport

extension HTTPTestServer {
    /// Sends a streamed body piece by piece.
    public struct BodyWriter: Sendable {
        private let connection: LoopBound<ServedConnection>
        private let loop: EventLoop

        init(_ connection: LoopBound<ServedConnection>, on loop: EventLoop) {
            self.connection = connection
            self.loop = loop
        }

        /// Sends one piece; returns when the kernel has taken all of it.
        ///
        /// - Parameter bytes: nothing is sent for an empty piece.
        /// - Throws: ``ConnectionLostError`` when the client is gone, took nothing for 30 s, or the
        ///   server stops.
        public func write(_ bytes: [UInt8]) async throws(ConnectionLostError) {
            let (connection, loop) = (connection, loop)
            let sent = await withTaskExecutorPreference(loop) {
                await ServedConnection.sendPiece(bytes, on: connection, loop)
            }
            guard sent else { throw ConnectionLostError() }
        }

        /// Sends one piece of text as UTF-8; returns when the kernel has taken all of it.
        ///
        /// - Throws: as ``write(_:)-([UInt8])``.
        public func write(_ text: String) async throws(ConnectionLostError) {
            try await write(Array(text.utf8))
        }
    }

    /// Says that the client of a streamed body is gone; nothing more can be sent to it.
    public struct ConnectionLostError: Error, Sendable, Hashable {}
}
