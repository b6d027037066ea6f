internal import SocketTransport
internal import Wire

/// Carries exchanges over one stream, one after the other.
///
/// Loop-confined.
///
/// Leased to one call at a time; the call sends and receives (`Connection+Exchange`) and the pool
/// takes it back or forgets it.
///
/// What each request changes is exempt from the runtime's search for overlapping accesses, which
/// took a tenth of the time of a request: one thread alone comes here, and nothing that is called
/// while one of them is being changed knows the connection.
final class Connection {
    let id: UInt64
    let stream: any ByteStream
    /// The TCP connection below, for what only it can tell.
    let socket: SocketStream
    /// The same stream as ``stream`` when it is secured.
    let secured: TLSStream?
    let local: SocketAddress?
    /// What the handshake settled; nil for http.
    let tls: TLSSessionInfo?
    /// Where the pool keeps it.
    let poolIndex: PoolState.ConnectionIndex
    let openedAt = Deadline.now()
    /// How long the peer says that it keeps the connection when idle, in nanoseconds.
    @safe @exclusivity(unchecked) var keepAlive: Int64?
    /// Exchanges carried so far.
    @safe @exclusivity(unchecked) var uses = 0
    /// Throws the rest of a body away while nobody has leased the connection.
    var unread: BodyDrain?
    /// Whom the connection belongs to; nil when it is the pool's.
    @safe @exclusivity(unchecked) var lease: ConnectionLease?
    /// False while leased.
    @safe @exclusivity(unchecked) var isIdle = false
    @safe @exclusivity(unchecked) var idleSince = Deadline.never

    /// Received and not yet used.
    ///
    /// Lent by the pool while leased, so that idle connections are small.
    @safe @exclusivity(unchecked) var input: ReceiveBuffer?
    /// The request on its way out.
    @safe @exclusivity(unchecked) var output: [UInt8] = []
    /// What is still to be sent of a body whose answer has begun; mostly nil.
    @safe @exclusivity(unchecked) var upload: Upload?
    /// The present exchange, or the last one; before the first, one that nobody asked for.
    @safe @exclusivity(unchecked)
    var exchange = MessageExchange(request: RequestHead(method: .options, target: .asterisk))
    /// How the body of the last final response is delimited.
    @safe @exclusivity(unchecked) var framing = BodyFraming.noBody
    /// The peer has ended its side of the stream.
    @safe @exclusivity(unchecked) var isReceivingEnded = false
    /// It did so without TLS close-notify.
    @safe @exclusivity(unchecked) var isTruncated = false
    /// Where the reading of the present body stands.
    @safe @exclusivity(unchecked) var readState = BodyReadState()
    /// Undoes the present body's content coding; nil when it has none, or it is left as it is.
    @safe @exclusivity(unchecked) var decoder: ContentDecoder?

    init(
        id: UInt64,
        socket: SocketStream,
        secured: TLSStream?,
        poolIndex: PoolState.ConnectionIndex
    ) {
        self.id = id
        stream = secured ?? socket
        self.socket = socket
        self.secured = secured
        local = socket.localAddress
        tls = secured.map { TLSSessionInfo($0.negotiated) }
        self.poolIndex = poolIndex
    }

    /// Tells whether an idle connection can carry another exchange: open, and silent.
    ///
    /// A loop that polls its sockets knows of a peer's close or bytes, so no system call is needed
    /// there. A blocking call asks the kernel once (``EventLoop/isKnownIdle(since:at:)``).
    func canBeReused(at now: Deadline, on loop: EventLoop) -> Bool {
        !mayHaveUnreadInput && loop.isKnownIdle(since: idleSince, at: now) || hasNoPendingInput
    }

    /// Notes how long the peer keeps the connection, if its answer to the call says so; looked for in
    /// the first answer, and then where it was found.
    func recordKeepAlive(_ call: Attempt) {
        guard uses == 1 || keepAlive != nil else { return }
        keepAlive = call.head.flatMap { KeepAlive.idleNanoseconds($0.headers) }
    }

    /// Tells, without a system call, whether there may be something to read: below TLS or in it.
    var mayHaveUnreadInput: Bool { socket.mayHaveUnreadInput || secured?.hasUnreadInput ?? false }

    /// Asks whether the connection is open and the peer has said nothing that concerns us; TLS
    /// tickets and key updates are taken in.
    var hasNoPendingInput: Bool { secured?.drainPendingInput() ?? socket.hasNoPendingInput }

    func close() {
        stream.close()
    }
}
