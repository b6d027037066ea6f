internal import Wire

/// Holds what a recorder keeps of one attempt: bytes and facts as they were, shown only when asked for.
struct ArchiveEntry: Sendable {
    /// Holds the start of a body.
    struct Content: Sendable {
        let kept: [UInt8]
        /// Bytes of the whole; nil when nobody knows.
        let length: Int?

        /// Keeps at most `limit` bytes.
        init(_ bytes: [UInt8], atMost limit: Int) {
            kept = bytes.count > limit ? Array(bytes.prefix(max(limit, 0))) : bytes
            length = bytes.count
        }

        /// Of a body that did not lie in memory.
        init(length: Int?) {
            kept = []
            self.length = length
        }

        var isWhole: Bool { length == kept.count }
    }

    let callID: UInt64
    /// Of the first attempt of the call, in nanoseconds since 1970.
    let callStart: Int64
    let method: String
    let url: URI?
    /// What ``url`` was made of.
    let urlText: String
    /// Nil when nothing could be sent.
    let sent: RequestHead?
    let sentBody: Content
    /// Nil when none came.
    let received: ResponseHead?
    var receivedBody: Content
    /// Its body goes to somebody else piece by piece.
    let isStreamed: Bool
    /// Nil when nothing was attempted.
    var attempt: HTTPMetrics.Attempt?
    /// What the attempt failed with.
    var error: String?

    /// Bytes of bodies that it keeps.
    var keptBytes: Int { sentBody.kept.count + receivedBody.kept.count }

    /// When the attempt began, in nanoseconds since 1970.
    var start: Int64 {
        let (sum, hasOverflowed) = callStart.addingReportingOverflow(
            attempt?.began.wholeNanoseconds ?? 0
        )
        return hasOverflowed ? .max : sum
    }
}
