package import SocketTransport

extension TransferPipe {
    /// Creates a pipe with bytes, which go through a socket as those of a response do.
    ///
    /// - Parameter bytes: at most 64 KiB, so that they fit into the socket and the pipe.
    package static func containing(_ bytes: [UInt8]) throws -> TransferPipe {
        let pipe = try TransferPipe()
        let loop = EventLoop.callerDriven()
        defer { loop.stop() }
        try loop.drive { () -> Result<Void, any Error> in
            Result {
                let (near, far) = try SocketStream.pair(on: loop)
                defer {
                    near.close()
                    far.close()
                }
                guard try far.send(bytes.span) == bytes.count,
                    try near.receive(into: pipe, bytes.count) == .bytes(bytes.count)
                else { throw SystemError("splice") }
            }
        }.get()
        return pipe
    }
}
