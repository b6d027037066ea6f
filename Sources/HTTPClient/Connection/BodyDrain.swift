internal import SocketTransport
internal import Wire

/// Reads the rest of a body that nobody wants, in the background, so that its connection can be
/// used again; gives up when there is too much of it or it takes too long.
///
/// Loop-confined. The socket's idle watch calls ``advance()``; no task is needed.
final class BodyDrain {
    let connection: Connection
    private let call: Attempt
    private var budget: Int
    private var timer: LoopTimer?
    /// Told once how it ended: whether the connection can be used again.
    private var ended: ((BodyDrain, Bool) -> Void)?

    /// Takes over a connection; `ended` is called once, perhaps before ``begin(on:within:)`` returns.
    init(
        _ connection: Connection,
        _ call: Attempt,
        budget: Int,
        ended: @escaping (BodyDrain, Bool) -> Void
    ) {
        self.connection = connection
        self.call = call
        self.budget = budget
        self.ended = ended
    }

    /// Throws away what is there already, and what comes until the time is over.
    func begin(on loop: EventLoop, within time: Duration) {
        advance()
        guard ended != nil else { return }
        connection.unread = self
        timer = LoopTimer(on: loop, at: Deadline.now().advanced(by: time)) { self.end(false) }
    }

    /// Throws away what has come.
    func advance() {
        guard ended != nil else { return }
        do {
            switch try connection.drainBodyAtOnce(&budget, call) {
            case .ended:
                end(connection.exchange.closeReason == nil && !connection.isReceivingEnded)
            case .tooMuch: end(false)
            case .needMore: break
            }
        } catch {
            // What is wrong with a body that nobody wants concerns nobody; the connection goes.
            end(false)
        }
    }

    /// Gives up, or is done.
    func end(_ canBeReused: Bool) {
        timer?.cancel()
        timer = nil
        connection.unread = nil
        let ended = ended.take()
        ended?(self, canBeReused)
    }
}
