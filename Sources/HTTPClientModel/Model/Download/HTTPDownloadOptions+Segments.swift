extension HTTPDownloadOptions {
    /// The number of connections that download parts of one file at the same time.
    ///
    ///     let options = HTTPDownloadOptions(segments: .upTo(4))
    ///     let file = try await client.download("https://example.com/big.iso", to: path, options: options)
    ///
    /// The client uses fewer connections if more of them do not help, or if the server rejects them. It uses
    /// one if the server has no ranges, or does not identify the state of the resource exactly
    /// (<doc:Downloads>). Only a GET without Range and If-Range fields is divided.
    public struct Segments: Sendable, Hashable {
        /// The maximum number of connections, in 1...16; 1 requests the file as a whole.
        ///
        /// ``HTTPClientConfiguration/maxConnectionsPerOrigin`` limits it too. A download fails with
        /// ``HTTPError/InvalidRequestReason/segments(_:)`` if the number is out of range.
        public var limit: Int

        /// The minimum number of bytes that a request asks for, except for the rests between other parts.
        ///
        /// It is also the size of the first request, so a file that is not larger needs only one. It must be
        /// positive. Default 4 MiB: requesting less costs more round trips than a second connection saves.
        public var minSize: Int

        /// The maximum of ``limit``: 16, because servers regard more connections of a client as an attack.
        public static let maxLimit = 16
        /// The default of ``minSize``: 4 MiB.
        public static let defaultMinSize = 4 << 20

        /// Creates a value.
        ///
        /// - Parameters:
        ///   - limit: the maximum number of connections, in 1...16.
        ///   - minSize: the minimum number of bytes that a request asks for. Default 4 MiB.
        public init(limit: Int, minSize: Int = defaultMinSize) {
            self.limit = limit
            self.minSize = minSize
        }

        /// One request for the whole file.
        public static let off = Segments(limit: 1)

        /// Returns segments for up to this number of connections, in 1...16.
        ///
        /// - Parameters:
        ///   - limit: the maximum number of connections.
        ///   - minSize: the minimum number of bytes that a request asks for. Default 4 MiB.
        /// - Returns: the segments; the numbers are checked when a download begins.
        public static func upTo(_ limit: Int, minSize: Int = defaultMinSize) -> Segments {
            Segments(limit: limit, minSize: minSize)
        }

        /// Whether both numbers are in their ranges.
        package var isValid: Bool { (1...Self.maxLimit).contains(limit) && minSize > 0 }
    }
}
