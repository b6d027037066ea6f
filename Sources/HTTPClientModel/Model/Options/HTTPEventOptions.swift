/// The options of ``HTTPClient/events(_:options:)``: when to reconnect, and how long to wait before.
public struct HTTPEventOptions: Sendable, Hashable {
    /// Reconnects allowed in a row; 0 reads the events of a single response.
    ///
    /// The count starts again after each connection that had an event, if it lasted at least a second, or if the
    /// server's delay, or else ``reconnectDelay``, is at least a second. It also starts again after each connection
    /// that lasted at least ``maxReconnectDelay`` and a second. So a healthy stream continues without end, and a server
    /// that only closes connections, or asks for many short ones, does not. Beyond the limit, reading throws
    /// `.recordFailed(.tooManyReconnects)`.
    ///
    /// Default 10: with the default delays, this outlasts a server restart of several minutes.
    public var maxReconnects: Int

    /// The delay before the first reconnect, unless the server sets another one with the field `retry`.
    ///
    /// Each further reconnect in a row waits for a random time between this delay and twice the limit of the
    /// one before. Default 3 s, as in browsers.
    public var reconnectDelay: Duration

    /// The shortest delay before a reconnect, except before the first one of the stream.
    ///
    /// Default 500 ms, so that a server with `retry: 0` cannot make the client send requests without a pause.
    /// ``maxReconnectDelay`` limits it too.
    public var minReconnectDelay: Duration

    /// The longest delay before a reconnect.
    ///
    /// Default 60 s, so that neither a long backoff nor the server can stop the stream for hours.
    public var maxReconnectDelay: Duration

    /// The maximum number of bytes in the data of an event, and in each of its lines.
    ///
    /// Default 10 MiB, as for ``HTTPBodyStream/collect(upTo:)``.
    public var maxLength: Int

    /// The last event ID of an earlier stream, which the first request sends as Last-Event-ID.
    ///
    /// Default none. To continue after a restart of the program, store
    /// ``HTTPServerSentEvent/lastEventID`` of the last event.
    public var lastEventID: String

    /// Creates the default options.
    public init() {
        maxReconnects = 10
        reconnectDelay = .seconds(3)
        minReconnectDelay = .milliseconds(500)
        maxReconnectDelay = .seconds(60)
        maxLength = 10 << 20
        lastEventID = ""
    }

    /// Creates the default options with another ``maxReconnects``.
    public init(maxReconnects: Int) {
        self.init()
        self.maxReconnects = maxReconnects
    }
}
