internal import SocketTransport
internal import Wire

/// A background read that discards the rest of a body, so that its connection can be reused.
///
/// It stops, and the connection is closed, if the rest is too long or takes too long.
///
/// Loop-confined. The socket's idle watch calls ``advance()``; no task is needed.
final class BodyDrain {
    let connection: ClientConnection
    private let attempt: RequestAttempt
    private var budget: Int
    private var timer: LoopTimer?
    /// The timer that continues to read after other work on the loop had a turn.
    private var turn: LoopTimer?
    /// A callback for the end, called once; the flag is whether the connection can be reused.
    private var ended: ((BodyDrain, Bool) -> Void)?

    /// Creates a drain for a leased connection; `ended` is called once, perhaps during ``begin(on:within:)``.
    init(
        _ connection: ClientConnection,
        _ attempt: RequestAttempt,
        budget: Int,
        ended: @escaping (BodyDrain, Bool) -> Void
    ) {
        self.connection = connection
        self.attempt = attempt
        self.budget = budget
        self.ended = ended
    }

    /// Discards the bytes that have arrived, and those that arrive within `time`.
    func begin(on loop: EventLoop, within time: Duration) {
        advance()
        guard ended != nil else { return }
        connection.unread = self
        timer = LoopTimer(on: loop, at: Deadline.now().advanced(by: time)) { self.end(false) }
    }

    /// Discards the bytes that have arrived.
    func advance() {
        guard ended != nil else { return }
        do {
            switch try connection.drainBodyAtOnce(&budget, attempt) {
            case .ended:
                end(connection.exchange.readCloseReason() == nil && !connection.isReceivingEnded)
            case .tooMuch: end(false)
            case .needMore: break
            case .turnEnded:
                turn?.cancel()
                turn = LoopTimer(on: connection.socket.loop, at: .now()) { self.advance() }
            }
        } catch {
            // The caller does not need this body, so a fault in it only closes the connection.
            end(false)
        }
    }

    /// Ends the read, with or without success.
    func end(_ canBeReused: Bool) {
        timer?.cancel()
        timer = nil
        turn?.cancel()
        turn = nil
        connection.unread = nil
        let ended = ended.take()
        ended?(self, canBeReused)
    }
}
