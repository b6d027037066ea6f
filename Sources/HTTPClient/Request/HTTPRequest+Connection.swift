extension HTTPRequest {
    /// Says whether a request may share a connection with others.
    public enum ConnectionUse: Sendable, Hashable {
        /// It takes a connection that is free, and leaves it to the next request.
        case shared
        /// A connection is opened for it, says `Connection: close`, and is closed behind the answer
        /// (RFC 9112 §9.6).
        ///
        /// It counts in the limits of the pool: where they are met, an idle connection makes room.
        case fresh
    }
}

/// Says who waits less when every connection that could be used is busy.
///
/// Any number from -128 to 127 will do; larger ones go first.
public struct HTTPPriority: RawRepresentable, Sendable, Hashable, Comparable {
    /// Larger goes first.
    public let rawValue: Int8

    /// Makes a priority of a number.
    public init(rawValue: Int8) {
        self.rawValue = rawValue
    }

    /// What may come last of all, such as cleaning up: -96.
    public static let veryLow = HTTPPriority(rawValue: -96)
    /// Work that nobody waits for, such as fetching ahead: -64.
    public static let low = HTTPPriority(rawValue: -64)
    /// Most requests: 0.
    public static let normal = HTTPPriority(rawValue: 0)
    /// What somebody looks at: 64.
    public static let high = HTTPPriority(rawValue: 64)
    /// What others wait for, such as renewing a token: 96.
    public static let veryHigh = HTTPPriority(rawValue: 96)

    /// Compares the numbers.
    public static func < (left: HTTPPriority, right: HTTPPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
