internal import SocketTransport
internal import Wire

/// The place for the bytes of one read of a body.
///
/// ``StreamingBody`` reads into an array for a caller that wants the bytes, and into a ``FileTransfer`` for a
/// file, whose bytes may stay in the kernel.
protocol BodyTarget {
    /// The number of bytes that were read.
    var count: Int { get }

    /// Prepares the empty target for a read of at most `limit` bytes, of which the last one returned `last`.
    mutating func prepare(for limit: Int, after last: Int)

    /// Takes bytes that were read earlier.
    mutating func set(_ bytes: [UInt8])

    /// Receives up to `limit` bytes of decoded body; waits until there are some.
    nonisolated(nonsending) mutating func read(
        _ connection: ClientConnection,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> BodyReadState.Progress

    /// Receives up to `limit` bytes that have arrived, without waiting.
    mutating func readArrived(
        _ connection: ClientConnection,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError)
}

extension [UInt8]: BodyTarget {
    mutating func prepare(for limit: Int, after last: Int) {
        // Room avoids growing by copying, but only a fast body justifies much memory.
        if last >= 64 << 10 { reserveCapacity(Swift.min(limit, 2 * last)) }
    }

    mutating func set(_ bytes: [UInt8]) { self = bytes }

    nonisolated(nonsending) mutating func read(
        _ connection: ClientConnection,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> BodyReadState.Progress {
        try await connection.readBody(into: &self, atMost: limit, attempt)
    }

    mutating func readArrived(
        _ connection: ClientConnection,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) {
        try connection.readArrivedBody(into: &self, atMost: limit, attempt)
    }
}

extension FileTransfer: BodyTarget {
    func prepare(for limit: Int, after last: Int) { clear() }

    func set(_ bytes: [UInt8]) { self.bytes = bytes }

    nonisolated(nonsending) func read(
        _ connection: ClientConnection,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) async throws(ExchangeError) -> BodyReadState.Progress {
        try await connection.readBody(into: self, atMost: limit, attempt)
    }

    func readArrived(
        _ connection: ClientConnection,
        atMost limit: Int,
        _ attempt: RequestAttempt
    ) throws(ExchangeError) {
        try connection.readArrivedBody(into: self, atMost: limit, attempt)
    }
}
